import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { driftFindings } from '../../src/core/documents/drift.ts';
import { DRIFT_CLASSES } from '../../src/core/documents/drift-classes.ts';
import type { DriftClass, DriftItem, DriftReport } from '../../src/core/model/generated/drift.ts';
import { gitlabText } from '../../src/kit/formats/gitlab.ts';
import { sarifText } from '../../src/kit/formats/sarif.ts';
import fc from '../properties.ts';
import { hostileText } from './formats/hostile.ts';
import { gitlabProblem, sarifProblem } from './formats/validators.ts';
import { driftMarkdown, driftMarkdownWithin, driftText } from './laid-out.ts';
import { strangers } from './markdown/reading.ts';

const COMMIT = { hash: 'a'.repeat(40), date: '2026-02-01T12:00:00+01:00', subject: 'one' };
const EARLIER = { hash: 'b'.repeat(40), date: '2026-01-01T12:00:00+01:00', subject: 'none' };

function item(kind: DriftClass, over: Partial<DriftItem> = {}): DriftItem {
  return {
    class: kind,
    address: `sniper/${kind}`,
    previous_address: null,
    kind: 'sniper',
    id: '5e0c0000-0000-4000-8000-000000000001',
    remark: 'Note',
    running: false,
    buy_once: false,
    text: 'A sentence.',
    fields: [],
    commit: null,
    moved_on: null,
    earlier: 0,
    updated_at: '2026-02-03T00:00:00Z',
    exposure: { before: '0', after: '0' },
    fails: true,
    ignored: false,
    refused: [],
    ...over,
  };
}

function reportOf(items: readonly DriftItem[], over: Partial<DriftReport> = {}): DriftReport {
  const count = (kind: DriftClass) => items.filter((one) => one.class === kind).length;
  return {
    format: 'tradeform.drift/1',
    tool: { name: 'tradeform', version: '0.0.0' },
    created_at: '2026-02-04T00:00:00Z',
    project: 'core',
    environment: null,
    service: {
      base_url: 'https://service.invalid/v1',
      token_prefix: 'svc_live_00000000',
      login_username: null,
    },
    source: { commit: COMMIT.hash, dirty: false, read: 'commit', manifests_digest: '' },
    digest: 'ab'.repeat(32),
    complete: true,
    drift: items.some(({ fails }) => fails),
    history: { commits: 3, skipped: 1, oldest: EARLIER, ended: 'beginning' },
    policy: { ignore: [], fail_on: [] },
    summary: {
      ...(Object.fromEntries(DRIFT_CLASSES.map((kind) => [kind, count(kind)])) as Record<DriftClass, number>),
      failing: items.filter(({ fails }) => fails).length,
    },
    exposure: { live: '1', git: '2', running_live: 1, running_git: 2, outside: [] },
    items: [...items],
    diagnostics: [],
    ...over,
  };
}

const HOSTILE = [
  '![x](https://evil.invalid/p.png)',
  '<img src=x> <!-- --> </details><script>',
  '--> <b>out</b> <!--',
  '@everyone @org/team #1 GH-12 deadbeef !1 $1 ~label',
  'https://evil.invalid www.evil.invalid a@evil.invalid',
  '```\n## heading\n```',
  '\n\n# heading\n\n---\n',
  '- [ ] task',
  '/close',
];

/** A report that carries the text wherever text of others can stand. */
function hostile(text: string): DriftReport {
  const commit = { ...EARLIER, subject: text };
  const field = {
    path: text,
    before: text,
    after: `${text}2`,
    sensitive: false,
    class: 'pending' as const,
    commit,
  };
  return reportOf(
    [
      item('changed', { text, remark: text, commit: COMMIT, fields: [field] }),
      item('unmanaged', { address: null, text, remark: text, running: true }),
      item('foreign', { address: null, text, remark: text }),
    ],
    {
      environment: text,
      selection: { targets: [text], excludes: [text] },
      diagnostics: [{ severity: 'info', code: 'history-limited', message: text, hint: text }],
    },
  );
}

const FIELDS = [
  {
    path: 'config.buy_amount',
    before: '0.5',
    after: '0.75',
    sensitive: false,
    class: 'pending' as const,
    commit: EARLIER,
  },
  {
    path: 'remark',
    before: 'Mine',
    after: 'Yours',
    sensitive: false,
    class: 'changed' as const,
    commit: null,
  },
];
const EVERYTHING = reportOf([
  item('unmanaged', {
    address: null,
    remark: 'By hand',
    running: true,
    exposure: { before: '0.5', after: '0.5' },
    fails: false,
  }),
  ...DRIFT_CLASSES.map((kind) =>
    item(kind, kind === 'changed' ? { fields: FIELDS } : kind === 'pending' ? { commit: COMMIT } : {}),
  ),
]);

describe('text', () => {
  it('has no hidden amount of a task that does not run', () => {
    const exposure = { before: '0', after: '0', secret: true as const };
    const textOf = (running: boolean) =>
      driftText(reportOf([item('changed', { exposure, running })]), { columns: 100, color: false });
    expect(textOf(true)).toContain('(running, (secret) SOL, last written');
    expect(textOf(false)).toContain('(not running, last written');
  });

  it('has the money and the running tasks now and after apply, and the state only as a title', () => {
    const state = { path: 'state', before: 'paused', after: 'active', text: 'state paused → active' };
    const report = reportOf(
      [
        item('stopped', {
          fields: [{ ...state, sensitive: false, class: 'changed', commit: null }],
          exposure: { before: '0', after: '0.25' },
        }),
      ],
      { exposure: { live: '1', git: '1.25', running_live: 2, running_git: 3, outside: [] } },
    );
    const text = driftText(report, { columns: 100, color: false });
    expect(text).toMatch(
      /1 SOL at stake \(1\.25 after apply\)\n.*\n {2}2 trading \(3 after apply\) · git: commit/,
    );
    expect(text).toContain('sniper/stopped (not running, 0.25 → 0 SOL, last written');
    expect(text).not.toContain('state paused → active');
    expect(driftText(report, { columns: 100, color: false, verbose: true })).toMatch(
      /state: +active → paused/,
    );
  });

  it('has every class, what trades unmanaged below what differs from git, and how far the search went', () => {
    const text = driftText(EVERYTHING, { columns: 100, color: false });
    expect(text.split('\n').filter((line) => / \(\d+\)/.test(line))).toEqual([
      'Somebody started these, and git wants them paused (1)',
      'Ownership conflicts (1)',
      'Interrupted: an apply stopped part-way (1)',
      'Stopped: git wants these running (1)',
      'Somebody changed these on the service · git → service (1)',
      'Unknown: from a commit that is not in this history, or from the environment (1)',
      'Missing on the service (1)',
      'Damaged markers (1)',
      'Pending: not applied yet · service → git (1)',
      'Outside git, and running (1)',
      'Outside git (1)',
      'Outside git: of other projects (1)',
    ]);
    expect(text).toContain(
      '  ► sniper 5e0c0000-0000-4000-8000-000000000001 ("By hand", running, 0.5 SOL): A sentence.\n',
    );
    expect(text).toContain('      amount 0.75 → 0.5 SOL -33%, remark Yours → Mine\n');
    expect(text).toContain(
      'Compared with 3 commits, back to bbbbbbb of 2026-01-01; 1 more does not compile.\n',
    );
    const details = driftText(EVERYTHING, { columns: 100, color: false, verbose: true });
    expect(details).toContain('    ~ config.buy_amount: 0.75 → 0.5\n    ~ remark: Yours → Mine\n');
  });

  it('names the ways out of what there is: an export takes over nothing that was stopped or started', () => {
    const ways = (...items: readonly DriftItem[]) => {
      const text = driftText(reportOf(items, { drift: true }), { columns: 200, color: false });
      return ['resume', 'pause', 'export', 'apply'].filter((word) => text.includes(`\`tradeform ${word}`));
    };
    const of = (kind: DriftItem['class'], over: Partial<DriftItem> = {}) =>
      item(kind, { address: `sniper/${kind}`, fails: true, fields: [], ...over });
    const changed = of('changed');
    expect(ways(of('stopped'))).toEqual(['resume']);
    expect(ways(of('started'))).toEqual(['pause']);
    expect(ways(of('pending'))).toEqual(['apply']);
    expect(ways(changed)).toEqual(['export', 'apply']);
    expect(ways(of('missing', { id: null }))).toEqual(['apply']);
    expect(ways({ ...of('stopped'), fails: false })).toEqual([]);
    const many = (count: number, environment: string | null = null) =>
      driftText(
        reportOf(
          Array.from({ length: count }, (_, index) => ({ ...changed, address: `sniper/t${index}` })),
          { drift: true, environment },
        ),
        { columns: 200, color: false },
      );
    expect(many(1, 'eu')).toContain('`tradeform export -e eu --out . sniper/t0`');
    expect(many(2)).toContain('`tradeform export --out . sniper/t0 sniper/t1`');
    expect(many(6)).toContain('`tradeform export --out . ADDRESS`');
  });

  it('does not hide a started task with more at stake among those with less', () => {
    const started = (address: string, after: string) =>
      item('started', { address, running: true, exposure: { before: after, after } });
    const items = [started('sniper/a', '0.1'), started('sniper/b', '0.1'), started('sniper/c', '50')];
    const text = driftText(reportOf(items), { columns: 100, color: false });
    expect(text).toContain('sniper/a, sniper/b (running, each 0.1 SOL)');
    expect(text).toContain('sniper/c (running, 50 SOL');
  });

  it('fits the width', () => {
    for (const columns of [40, 80]) {
      const lines = driftText(EVERYTHING, { columns, color: false }).split('\n');
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
    }
  });
});

describe('markdown', () => {
  it('has a hidden header by which an issue is found again', () => {
    expect(driftMarkdown(EVERYTHING).split('\n')[0]).toBe(
      '<!-- tradeform:drift project=core environment=- digest=- -->',
    );
  });

  it('says since when, and beside each row the two ways out', () => {
    const text = driftMarkdown(EVERYTHING);
    expect(text).toMatch(/^- `sniper\/changed` \(.*last written `2026-02-03 00:00` UTC\): /m);
    expect(text).toMatch(
      /^- `sniper\/changed` .*\n(?: {2}.*\n)* {2}- → Undo: `tradeform apply --target sniper\/changed`\. Keep: `tradeform export --out \. sniper\/changed`, then commit\.$/m,
    );
  });

  it('contains no text of others as Markdown', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.constantFrom(...HOSTILE)), (text) => {
        expect(strangers(driftMarkdown(hostile(text)))).toEqual([]);
      }),
    );
  });

  it('is shortened from the least important end', () => {
    const many = reportOf([
      ...Array.from({ length: 30 }, (_, number) =>
        item('started', { address: `sniper/started-${number}`, running: true }),
      ),
      ...Array.from({ length: 300 }, (_, number) =>
        item('foreign', { address: null, remark: `Theirs ${number}`, fails: false }),
      ),
      ...Array.from({ length: 100 }, (_, number) =>
        item('changed', { address: `sniper/changed-${number}`, fields: FIELDS }),
      ),
    ]);
    const fitted = driftMarkdownWithin(many, 12_000);
    if (!('text' in fitted)) throw new Error(`it needs ${fitted.needs}`);
    expect(Buffer.byteLength(fitted.text)).toBeLessThanOrEqual(12_000);
    for (let number = 0; number < 30; number += 1)
      expect(fitted.text).toContain(`sniper/started-${number}\``);
    for (let number = 0; number < 100; number += 1)
      expect(fitted.text).toContain(`sniper/changed-${number}\``);
    expect(fitted.text).toContain('Shortened to 12000 bytes');
    expect(fitted.text).toMatch(/left out: \d+ items of foreign/);
    const short = driftMarkdownWithin(many, 300);
    if (!('needs' in short)) throw new Error('300 bytes are not enough');
    const least = driftMarkdownWithin(many, short.needs);
    expect('text' in least && least.text).toContain('`sniper/started-29`');
  });
});

describe('harmless differences', () => {
  const of = (path: string, number: number) => ({
    path,
    before: `live-${number}`,
    after: `git-${number}`,
    sensitive: false,
    class: 'changed' as const,
    commit: null,
  });
  const items = [
    ...Array.from({ length: 600 }, (_, number) =>
      item('stopped', { address: `sniper/stopped-${number}`, fields: [of('remark', number)] }),
    ),
    ...Array.from({ length: 600 }, (_, number) =>
      item('changed', { address: `sniper/note-${number}`, running: true, fields: [of('remark', number)] }),
    ),
    item('changed', {
      address: 'sniper/zeal',
      running: true,
      fields: [of('remark', 1_000), of('config.relay_mode.slippage', 1_000)],
    }),
  ];

  it('do not hide what costs money: it comes before all notes, whatever their classes are', () => {
    const fitted = driftMarkdownWithin(reportOf(items), 40_000);
    const text = 'text' in fitted ? fitted.text : '';
    expect(text).toContain('- sniper/zeal config.relay_mode.slippage: git-1000\n');
    expect(text).not.toContain('git-599');
    expect(strangers(text)).toEqual([]);
  });

  it('in each class the most expensive item is first, in text and in the formats for machines', () => {
    const text = driftText(reportOf(items), { columns: 100, color: false });
    expect(text.indexOf('sniper/zeal')).toBeLessThan(text.indexOf('sniper/note-0'));
    const [first] = driftFindings(reportOf(items)).findings.filter(({ rule }) => rule === 'drift/changed');
    expect(first?.address).toBe('sniper/zeal');
    expect(first?.message).toMatch(/config\.relay_mode\.slippage.*\n.*remark/);
  });
});

describe('the formats for machines', () => {
  const document = { command: 'drift', exitCode: 2, ...driftFindings(EVERYTHING) };

  it('have a rule for each class, and a fingerprint that does not depend on the commit', () => {
    const later = driftFindings(reportOf([item('pending', { text: 'Another sentence.', commit: EARLIER })]));
    const pending = document.findings.find(({ rule }) => rule === 'drift/pending');
    expect(pending).toMatchObject({ level: 'error', address: 'sniper/pending' });
    expect(later.findings[0]?.fingerprint).toBe(pending?.fingerprint);
    expect(new Set(document.findings.map(({ rule }) => rule))).toEqual(new Set(document.rules.keys()));
    expect(sarifText(document)).toContain('"drift/started"');
  });
});

it('the formats’ own schemas find no error', () => {
  const documents = [EVERYTHING, reportOf([]), ...HOSTILE.map(hostile)].map((report) => ({
    ...{ command: 'drift', exitCode: report.drift ? 2 : 0 },
    ...driftFindings(report),
  }));
  for (const document of documents) {
    expect(sarifProblem(JSON.parse(sarifText(document)))).toBe('');
    expect(gitlabProblem(JSON.parse(gitlabText(document)))).toBe('');
  }
});

it('the schema finds none either', () => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readFileSync('schemas/drift.schema.json', 'utf8')) as object);
  expect(validate(EVERYTHING), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({ ...EVERYTHING, items: [{ ...EVERYTHING.items[0], class: 'odd' }] })).toBe(false);
});
