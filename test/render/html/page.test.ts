import { describe, expect, it } from 'vitest';
import { planPage } from '../../../src/core/documents/plan.ts';
import { reportPage } from '../../../src/core/documents/report.ts';
import { diagnosticsView } from '../../../src/core/documents/result.ts';
import { html } from '../../../src/core/render/escape.ts';
import { pageText } from '../../../src/kit/html/layout.ts';
import fc from '../../properties.ts';
import { planWith, reportWith } from '../hostile-plan.ts';
import { change, emptyPlan, field, richPlan } from '../rich-plan.ts';
import { policiesOf, strangersInPage, textOf } from './reading.ts';

/** HAZARDS 48: what somebody may write into a remark, a name, a label, a message or the name of a file. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '</style><style>*{display:none}',
  '</title></summary></details></li></ul>',
  '--> <!-- <![CDATA[',
  '" onmouseover="alert(1)" x="',
  "' autofocus onfocus='alert(1)",
  '&lt;b&gt; &#60;script&#62; &amp',
  'javascript:alert(1) data:text/html,x url(https://evil.invalid)',
  '}body{background:url(https://evil.invalid)}/*',
  '\u202eright\u2066left\u2069\u200b\u00ad\ufeff\u{e0041}',
  'one\ntwo\r\nthree\u2028four\u0085',
  '\u0000\u001b[2J\u0007\x9b',
  '`</code>` ```',
  '${alert(1)} {{x}}',
  '::set-output name=x::y ##[add-mask]x',
  'a'.repeat(300),
  '',
];

const PAGES = {
  plan: (text: string) => planPage(planWith(text)),
  report: (text: string) => reportPage(reportWith(text)),
  both: (text: string) => reportPage(reportWith(text), planWith(text)),
  result: (text: string) =>
    diagnosticsView(
      text,
      [{ severity: 'error', code: 'internal', message: text, hint: text, address: text }],
      {
        project: text,
        environment: text,
        service: { base_url: `https://${text}/v1`, login_username: text },
      },
    ),
};

describe.each(Object.entries(PAGES))('a page of a %s', (_name, pageOf) => {
  it.each(HOSTILE)('consists only of our own elements and of text: %j', (text) => {
    expect(strangersInPage(pageText(pageOf(text)))).toEqual([]);
  });

  it('whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(strangersInPage(pageText(pageOf(`<${text}"`)))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });
});

it('a list in place of a text is text as well', () => {
  const list = ['<img src=x>', ['"><script>']] as unknown as string;
  expect(String(html`<b>${list}</b>`)).toBe('<b>&#60;img src=x&#62;&#34;&#62;&#60;script&#62;</b>');
});

describe('the policy', () => {
  const page = pageText(planPage(richPlan()));

  it('allows only the style and the script of the page', () => {
    const { written, needed } = policiesOf(page);
    expect(written).toBe(needed);
  });

  it('no line of it is a command of a runner, which would change it in its log', () => {
    expect(page).not.toMatch(/^\s*::|##\[/m);
  });
});

describe('the content', () => {
  const said = textOf(pageText(planPage(richPlan())));

  it('has verdict and money first, then changes, held and unmanaged tasks', () => {
    const order = [
      '6 to change (1 new, 1 replaced, 1 renamed)',
      '4.2 → 5.0055 SOL at stake (+19%)',
      'Changes (9)',
      'Blocked (1)',
      'Held (2)',
      'Outside git (2)',
    ];
    expect(order.map((text) => said.indexOf(text)).toSorted((a, b) => a - b)).toEqual(
      order.map((text) => said.indexOf(text)),
    );
    expect(order.filter((text) => !said.includes(text))).toEqual([]);
  });

  it('shows each change with both sides, its reason, its line in git and its requests', () => {
    expect(said).toContain(
      'The target wallet changed; the service cannot change it, so a new task takes over.',
    );
    expect(said).toMatch(
      /config\.buy_config_universal\.amount_sol 0\.5 0\.75 manifests\/copy\/whales\.yaml:21/,
    );
    expect(said).toContain('Requests: create → mark → pause → delete → resume, waits 60 s after the pause');
  });

  it('hides values from the environment', () => {
    expect(said).toContain('config.note_url (secret) (secret)');
    expect(said).not.toContain('hooks.invalid');
  });

  it('rows carry their filters', () => {
    const page = pageText(
      planPage({
        ...emptyPlan(),
        changes: [labelled('sniper/a', 'High | risk'), labelled('sniper/b', 'High | risk')],
        operations: [],
      }),
    );
    expect(page).toMatch(/data-action="update" data-kind="sniper" data-label="High | risk"/);
  });
});

function labelled(address: string, label: string) {
  return change(address, {
    operations: [`${address}#1`],
    fields: [field('label', 'Old', label), field('config.buy_amount', '1', '2')],
  });
}

it.each([
  ['0.5 → 25', '0.5 → <b class="up">25</b>'],
  ['25 → 0.5', '25 → <b class="down">0.5</b>'],
  ['0.5 → 25 SOL, 1 start', '0.5 → <b class="">25 SOL, 1 start</b>'],
])('an amount shows whether it rises: %s', (value, shown) => {
  const parts = [{ title: 'Some', tone: 'dim' as const, rows: [{ names: ['sniper/a'], text: '', value }] }];
  const subject = { project: null, environment: null };
  expect(pageText({ command: 'x', subject, verdict: '', tone: 'dim', parts })).toContain(shown);
});

describe('warnings', () => {
  const pageOf = (number: number) => {
    const diagnostics = Array.from({ length: number }, (_, at) => ({
      severity: 'warning' as const,
      code: 'echo-differs',
      message: `Warning ${at}.`,
    }));
    return pageText(planPage({ ...richPlan(), diagnostics }));
  };

  it('colour the head', () => {
    expect(pageOf(2)).toContain('<header class="top tone-warn">');
  });

  it('follow the reason of a refusal also without changes', () => {
    const diagnostics = (['warning', 'error'] as const).map((severity) => ({
      severity,
      code: 'guardrail-max-exposure',
      message: `An ${severity}.`,
    }));
    const page = pageText(planPage({ ...emptyPlan(), diagnostics }));
    expect(textOf(page)).toMatch(/Refused \(1\).*Warnings \(1\)/);
  });
});

it('a row about a difference says it without being opened', () => {
  const rows = [
    { names: ['sniper/a'], text: 'Changed.', fields: [field('config.buy_amount', '0.9', '0.05')] },
  ];
  const view = {
    command: 'x',
    subject: { project: null, environment: null },
    verdict: '',
    tone: 'dim' as const,
  };
  const page = pageText({ ...view, parts: [{ title: 'Some', tone: 'dim', rows }] });
  expect(page).toContain('<span class="brief">amount 0.9 → 0.05 SOL -94%</span>');
});

describe('a report of an apply', () => {
  const step = (verb: string, at_ms: number, took_ms: number, status: 'done' | 'failed' = 'done') => ({
    id: `a#${verb}`,
    verb,
    status,
    at_ms,
    took_ms,
  });
  const report = {
    ...reportWith('sniper/a'),
    changes: reportWith('sniper/a').changes.map((result) => ({
      ...result,
      operations: [step('pause', 100, 50), step('patch', 650, 50, 'failed'), step('resume', 900, 100)],
    })),
  };

  it('shows when each request was sent, how long it waited before, and how long nothing was traded', () => {
    const page = pageText(reportPage(report));
    expect(textOf(page)).toContain(
      'pause 0.10 s 0.10 s 0.05 s done patch 0.65 s 0.50 s 0.05 s failed resume 0.90 s 0.20 s 0.10 s done',
    );
    // Of 2 seconds, from 0.15 to 1.
    expect(page).toContain('<rect class="paused" x="75" y="5" width="425" height="5"/>');
  });

  it('that is not complete tells apart what was done and what was planned', () => {
    const incomplete = {
      ...report,
      outcome: 'incomplete' as const,
      changes: report.changes.map((change) => ({
        ...change,
        status: 'done' as const,
        actions: ['start' as const],
      })),
    };
    expect(textOf(pageText(reportPage(incomplete, richPlan())))).toMatch(
      /6 started trading Planned: 6 to change .* Planned sum: 4\.2 → 5\.0055 SOL at stake/,
    );
  });

  it('a pause that failed stops nothing', () => {
    const changes = reportWith('sniper/a').changes.map((result) => ({
      ...result,
      operations: [step('mark', 100, 50), step('pause', 650, 50, 'failed')],
    }));
    const page = pageText(reportPage({ ...report, changes }));
    expect(page).toContain('<rect class="bad" x="325"');
    expect(page).not.toContain('<rect class="paused"');
  });

  it('a resume that failed starts nothing', () => {
    const changes = reportWith('sniper/a').changes.map((result) => ({
      ...result,
      operations: [
        step('pause', 100, 100),
        step('patch', 400, 100, 'failed'),
        step('resume', 600, 100, 'failed'),
      ],
    }));
    // Of 2 seconds, from 0.2 to the end.
    expect(pageText(reportPage({ ...report, changes }))).toContain(
      '<rect class="paused" x="100" y="5" width="900"',
    );
  });

  it('of an older tradeform has the same requests without times', () => {
    const page = pageText(reportPage(reportWith('sniper/a')));
    expect(textOf(page)).toContain('pause done patch failed');
    expect(page).not.toContain('<rect class="step"');
  });
});
