import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/command/clock.ts';
import type { SwitchReport } from '../../../src/core/model/generated/report.ts';
import { sniper } from '../../manifest/samples.ts';
import { Desk } from '../stuck/desk.ts';

/** What `pause` found before it wrote, and what it says where it may not write. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
  await desk.applied(sniper(), sniper({ name: 'beta' }));
});

test('--save keeps what each task was before', async () => {
  const { version, updated_at, config } = desk.task('alpha');
  const written = new Date(updated_at).toISOString();
  desk.edit('beta', { is_active: false });
  await desk.take('tradeform pause --all --save stopped.json');
  const saved = JSON.parse(readFileSync(join(desk.project.path, 'stopped.json'), 'utf8')) as SwitchReport;
  const found = new Map(saved.changes.map((task) => [task.address, task.former]));
  expect(found.get('sniper/alpha')).toMatchObject({ version, risk_label_id: null, config });
  expect(Date.parse(String(found.get('sniper/alpha')?.updated_at))).toBe(Date.parse(written));
  expect(found.get('sniper/beta')).toBeNull();
});

test('a file that cannot be written ends with 1, and everything is off', async () => {
  const { text } = await desk.take('tradeform pause --all --save nowhere/stopped.json', 1);
  expect(text).toContain('[file-unwritable]');
  expect(desk.task('alpha').is_active).toBe(false);
});

test.each([0, 40])(
  '2 and %d tasks whose pause always fails: named at once, reported within minutes',
  async (number) => {
    const names = Array.from({ length: number }, (_, index) => `t${index}`);
    await desk.applied(...['alpha', 'beta', ...names].map((name) => sniper({ name })));
    desk.sandbox.faults.add({ path: '/pause$', times: 0, fault: { type: 'error', code: 'internal_error' } });
    const begun = SYSTEM_CLOCK.now();
    const { text } = await desk.take('tradeform pause --all', 1);
    expect((SYSTEM_CLOCK.now() - begun) / 60_000).toBeLessThan(7);
    expect(text).toContain('still running: sniper/alpha (status 500: internal_error); trying again');
    expect(text).toContain(`Still running (${number + 2})`);
  },
);

test.each(['account: { token_prefix: svc_live_5a4d0b0c }', 'stopped_tasks: hold'])(
  'a service that is down is asked for minutes, and what that means is said: %s',
  async (spec) => {
    desk.projectFile(`  ${spec}\n`);
    desk.sandbox.faults.add({ times: 0, fault: { type: 'status', status: 502 } });
    const { text } = await desk.take('tradeform pause --all', 1);
    expect(text).toContain('Nothing was paused, tasks may still trade: pause them in the web application.');
    desk.calm();
    desk.sandbox.faults.add({ times: 60, fault: { type: 'status', status: 502 } });
    await desk.take('tradeform pause --all');
    expect(['alpha', 'beta'].map((name) => desk.task(name).is_active)).toEqual([false, false]);
  },
);

test('a token that cannot pause is told once, and nothing is sent', async () => {
  const [token] = desk.sandbox.state.tokens.values();
  if (token === undefined) throw new Error('no token');
  const scopes = token.scopes.filter((scope) => !scope.endsWith(':write'));
  desk.sandbox.apply([{ type: 'token', record: { ...token, scopes } }]);
  desk.sandbox.clearLog();
  const { text } = await desk.take('tradeform pause --all --no-freeze', 1);
  expect(text).toContain('2 tasks may be running. Run the command again, with a token that has the scope.');
  expect(text).toContain('Still running (2)');
  expect(text.match(/sniper:write/g)).toHaveLength(1);
  expect(desk.sandbox.log.every(({ method }) => method === 'GET')).toBe(true);
  // A dry run says that the pause would fail.
  const dry = await desk.take('tradeform pause --all --dry-run', 1);
  expect(dry.text).toContain('sniper tasks would not be paused: The token lacks the scope sniper:write.');
  expect(dry.text).toContain('Still running (2)');
});
