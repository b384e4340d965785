import { describe, expect, it } from 'vitest';
import type { ApplyReport, ChangeResult } from '../../src/core/model/generated/report.ts';
import { RECORD } from '../support/record.ts';
import { reportMarkdown, reportText } from './laid-out.ts';

function result(address: string, parts: Partial<ChangeResult> = {}): ChangeResult {
  return {
    address,
    kind: 'sniper',
    id: null,
    actions: ['update'],
    status: 'done',
    text: '',
    fields: [],
    operations: [],
    request_ids: [],
    paused_ms: null,
    former: null,
    ...parts,
  };
}

function report(parts: Partial<ApplyReport> = {}): ApplyReport {
  return {
    format: 'tradeform.report/2',
    record: RECORD,
    tool: { name: 'tradeform', version: '0.1.0' },
    project: 'core',
    environment: null,
    service: {
      base_url: 'https://service.invalid/v1',
      token_prefix: 'svc_live_0a1b2c3d',
      login_username: null,
    },
    started_at: '2026-11-21T08:00:00.000Z',
    finished_at: '2026-11-21T08:00:04.200Z',
    digest: '1'.repeat(64),
    outcome: 'done',
    summary: { done: 3, failed: 0, skipped: 0, unknown: 0, blocked: 0, held: 0 },
    left_paused: [],
    still_high: [],
    changes: [],
    diagnostics: [],
    ...parts,
  };
}

const TROUBLED = report({
  outcome: 'incomplete',
  summary: { done: 4, failed: 2, skipped: 1, unknown: 1, blocked: 1, held: 1 },
  left_paused: [
    {
      address: 'copy-trade/whale-7',
      id: '5e0c1d2e-0000-4000-8000-000000000001',
      text: 'its patch failed after the pause, and its former config is a legacy snapshot that cannot be started',
    },
  ],
  changes: [
    result('label/high-risk'),
    result('copy-trade/whale-7', {
      status: 'failed',
      text: 'the patch was refused',
      error: {
        code: 'validation_error',
        status: 400,
        message: 'Request validation failed.',
        fields: [{ path: 'config.buy_config_tiers.0.amount_sol', reason: 'too_small' }],
      },
      operations: [
        { id: 'copy-trade/whale-7#1', verb: 'mark', status: 'done' },
        { id: 'copy-trade/whale-7#2', verb: 'pause', status: 'done' },
        { id: 'copy-trade/whale-7#3', verb: 'patch', status: 'failed' },
        { id: 'copy-trade/whale-7#4', verb: 'resume', status: 'not-started' },
      ],
      request_ids: ['req_0001', 'req_0002'],
    }),
    result('sniper/alpha', {
      status: 'failed',
      actions: ['create', 'start'],
      text: 'the create was refused',
      error: { code: 'a_new_code', status: 418, message: 'Something new.', fields: [] },
      request_ids: ['req_0003'],
    }),
    result('sniper/beta', { status: 'skipped', text: 'it waits for label/none, which failed' }),
    result('sniper/gamma', {
      status: 'unknown',
      text: 'the answer to the pause was lost',
      request_ids: ['req_0004'],
    }),
    result('sniper/delta', { status: 'blocked', actions: ['none'], text: 'two tasks carry this name' }),
    result('sniper/fired', { status: 'held', actions: ['none'], text: 'somebody stopped it' }),
  ],
  diagnostics: [{ severity: 'warning', code: 'echo-differs', message: 'The service stored something else.' }],
});

describe('reportText', () => {
  it('of a failed run says what trades now, and what the plan had', () => {
    const some = (project: string | null, sol: string) => ({ project, tasks: 2, sol, unreadable: 1 });
    const now = { running: 2, sol: '0.3', outside: [some(null, '2'), some('desk', '0.0072')] };
    const of = (parts: Parameters<typeof report>[0]) =>
      reportText(report({ outcome: 'incomplete', ...parts }), { columns: 140, color: false }).replace(
        / *\n(?!$)/g,
        ' ',
      );
    const record = { ...report().record, exposure: { before: '0.1', after: '0.5', planned: '0.5' } };
    const head = 'Not everything was applied: 3 done in 4.2 s.';
    expect(of({ record })).toBe(`${head}\n`);
    expect(of({ record, trading: now })).toBe(
      `${head} Trading now: 2 tasks, 0.3 SOL at stake (planned: 0.5), and 4 tasks outside git (2 of project desk) trade at least 2.0072 SOL.\n`,
    );
    expect(of({ record, trading: { running: 1, sol: '0.5', outside: [] } })).toBe(
      `${head} Trading now: 1 task, 0.5 SOL at stake.\n`,
    );
    expect(of({ record, trading: { running: 0, sol: null, outside: [] } })).toBe(
      `${head} Trading now: 0 tasks.\n`,
    );
    expect(reportMarkdown(report({ outcome: 'incomplete', record, trading: now }))).toContain(
      'Trading now: 2 tasks, 0.3 SOL at stake (planned: 0.5), and 4 tasks outside git (2 of project desk) trade at least 2.0072 SOL.',
    );
  });

  it('of a run that a freeze stopped between two steps does not say that nothing was done', () => {
    const operations = (['done', 'not-started'] as const).map((status, index) => ({
      ...{ id: `sniper/delta#${index}`, verb: 'mark' as const, status },
    }));
    const frozen = result('sniper/delta', { status: 'blocked', text: 'the account is frozen', operations });
    const text = reportMarkdown(report({ outcome: 'incomplete', changes: [frozen] }));
    expect(text).toContain('Blocked (1): nothing more was done to these');
    expect(text).not.toContain('nothing was done');
  });

  it('of a successful run is one line', () => {
    expect(reportText(report(), { columns: 80, color: false })).toBe('Applied: 3 done in 4.2 s.\n');
  });

  describe('of tasks that did not trade for some time', () => {
    const textOf = (changes: readonly ChangeResult[]) =>
      reportText(report({ changes: [...changes] }), { columns: 100, color: false });

    it('one: its name and how long', () => {
      const changes = [result('sniper/a', { paused_ms: 2_041 }), result('sniper/b')];
      expect(textOf(changes)).toBe('Applied: 3 done in 4.2 s.\n1 off for 2.04 s at most (sniper/a)\n');
    });

    it('many: the longest with its name', () => {
      const changes = [3_000, 50, 900, 2_000, 1_000, 7_000, 6_000, 5_000].map((ms, index) =>
        result(`sniper/${index}`, { paused_ms: ms }),
      );
      expect(textOf(changes)).toBe(`Applied: 3 done in 4.2 s.
8 off for 7.00 s at most (sniper/5)
`);
    });

    it('the same in Markdown', () => {
      const changes = [5_000, 1_000].map((ms, index) => result(`sniper/${index}`, { paused_ms: ms }));
      expect(reportMarkdown(report({ changes }))).toContain('2 off for 5.00 s at most (`sniper/0`)\n');
    });
  });

  it('failures in the same words are told once, with the last request of the first and one next step; details tell each', () => {
    const refused = (address: string, number: number) =>
      result(address, {
        status: 'failed',
        text: 'The pause was refused.',
        error: { code: 'ip_not_allowed', status: 403, message: 'Not from here.', fields: [] },
        request_ids: [`req_${number}`],
      });
    const failed = report({ changes: ['a', 'b', 'c'].map((name, at) => refused(`sniper/${name}`, at)) });
    const said = '(update): The pause was refused.\n      ip_not_allowed (403): Not from here.\n     ';
    expect(reportText(failed, { columns: 100, color: false })).toContain(
      `Failed (3)\n  sniper/a, sniper/b, sniper/c ${said} last request of sniper/a req_0\n  → Run from an address in the token’s allowlist.\n`,
    );
    const verbose = reportText(failed, { columns: 100, color: false, verbose: true });
    for (const [at, name] of ['a', 'b', 'c'].entries())
      expect(verbose).toContain(`  sniper/${name} ${said} request req_${at}\n`);
    expect(reportMarkdown(failed)).toContain('- `sniper/a`, `sniper/b`, `sniper/c` (update): The pause');
  });

  it('what the sentence about a failure says is not said again below it', () => {
    const fields = [{ path: 'config.buy_amount', reason: 'too_small' }];
    const error = { code: 'validation_error', status: 400, message: 'Not valid.', fields };
    const text = 'The start was refused (validation_error): Not valid. config.buy_amount: too_small.';
    const said = reportText(report({ changes: [result('sniper/a', { status: 'failed', text, error })] }), {
      columns: 200,
      color: false,
    });
    expect([said.match(/Not valid/g), said.match(/too_small/g)]).toEqual([['Not valid'], ['too_small']]);
  });

  it('of a run with everything that can go wrong', async () => {
    await expect(reportText(TROUBLED, { columns: 80, color: false })).toMatchFileSnapshot(
      'cases/troubled-report.txt',
    );
  });

  it('says what was left paused right after the result', () => {
    expect(reportText(TROUBLED, { columns: 80, color: false })).toMatch(
      /^FAILED: 1 LEFT OFF, 4 done, 1 failed, 1 skipped, [^.]*\.2 s\.\n\nLEFT OFF \(1\)/,
    );
  });

  it('names code, request and remedy of each failure', () => {
    const text = reportText(TROUBLED, { columns: 200, color: false });
    expect(text).toContain('validation_error (400): Request validation failed.');
    expect(text).toContain('last request req_0002; all with `-o json`');
    expect(text).toContain('→ Correct the fields named above');
    expect(text).toContain('→ Report the request id to the provider');
  });

  it('says that more fields may be wrong when the service names the maximum', () => {
    const fields = Array.from({ length: 20 }, (_item, index) => ({
      path: `config.f${index}`,
      reason: 'bad',
    }));
    const change = result('sniper/x', {
      status: 'failed',
      error: { code: 'validation_error', status: 400, message: 'No.', fields },
    });
    expect(reportText(report({ changes: [change] }), { columns: 80, color: false })).toContain(
      'there may be more',
    );
  });

  it('escapes service text', () => {
    const change = result('sniper/x', {
      status: 'failed',
      error: {
        code: 'x\x1b[2J',
        status: 400,
        message: '\u202eevil\r',
        fields: [{ path: '\x07', reason: '\n' }],
      },
      request_ids: ['\x1b]0;title\x07'],
    });
    const text = reportText(report({ changes: [change] }), { columns: 80, color: false });
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  const unsent = (request_ids: string[]) =>
    result('label/a', {
      status: 'failed',
      text: 'The create could not be sent: the connection was refused.',
      error: { code: 'unsent', status: null, message: 'the connection was refused', fields: [] },
      request_ids,
    });

  it('names the connection if there was no answer, and a request id only if there is one', () => {
    const text = reportText(report({ changes: [unsent([])] }), { columns: 100, color: false });
    expect(text).toContain('→ Check the connection to the service and apply again');
    expect(text.match(/the connection was refused/g)).toHaveLength(1);
    const error = { code: 'a_new_code', status: 418, message: 'No.', fields: [] };
    const change = result('label/b', { status: 'failed', text: 'It was refused: No..', error });
    const other = reportText(report({ changes: [change] }), { columns: 100, color: false });
    expect(other).not.toContain('request id');
    expect(other).not.toContain('..');
  });

  it('explains an unknown outcome once', () => {
    const message = 'the answer took too long';
    const change = result('sniper/x', {
      status: 'unknown',
      text: `It is unknown whether the pause was carried out: its answer was lost, and the resource could not be read (${message}).`,
      error: { code: 'lost', status: null, message, fields: [] },
    });
    const text = reportText(report({ changes: [change] }), { columns: 100, color: false });
    expect(text.match(/lost/g)).toHaveLength(1);
  });

  it('names all that an interruption left in one line', () => {
    const changes = Array.from({ length: 12 }, (_item, index) =>
      result(`label/l${index}`, { status: 'skipped', text: 'Not started: interrupted.' }),
    );
    const text = reportText(report({ outcome: 'interrupted', changes }), { columns: 200, color: false });
    expect(text.replace(/\s+/g, ' ')).toMatch(
      /^Interrupted: 3 done in 4\.2 s\. Skipped \(12\), apply again to continue label\/l0, .*label\/l11 [^:]*: Not started: interrupted\. /,
    );
    expect(text).not.toContain('→');
  });

  it('tells those that are held for one reason together', () => {
    const text = 'Off since `tradeform pause`, until `tradeform resume`.';
    const changes = ['a', 'b', 'c'].map((name) =>
      result(`sniper/${name}`, { status: 'held', actions: ['none'], text: name === 'c' ? 'Another.' : text }),
    );
    const said = reportMarkdown(report({ changes }));
    expect(said).toContain('### Held (3): stopped, and left so');
    expect(said).toContain(`- \`sniper/a\`, \`sniper/b\`: ${text}\n- \`sniper/c\`: Another.\n`);
    // The plan above the report shows them on a terminal.
    expect(reportText(report({ changes }), { columns: 200, color: false })).not.toContain('Another.');
  });

  it('says which tasks are still held although something was written', () => {
    const changes = [result('sniper/x', { held: true }), result('sniper/y')];
    expect(reportMarkdown(report({ changes }))).toMatch(
      /`sniper\/x` \(update, still held\)\n- `sniper\/y` \(update\)/,
    );
  });
});
