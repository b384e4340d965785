import { beforeEach, expect, test } from 'vitest';
import type { Plan } from '../../../src/model/generated/plan.ts';
import { SYSTEM_CLOCK } from '../../../src/service/http/clock.ts';
import { sniper } from '../../manifest/samples.ts';
import { withoutVersion } from '../../support/versions.ts';
import { Desk } from '../stuck/desk.ts';

/** `pause --for` and `resume --due`, told in command lines; time passes in no time. */

const HOUR = 3_600_000;
let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
});

const later = (hours: number) => SYSTEM_CLOCK.sleep(hours * HOUR);
const runs = (...names: readonly string[]) => names.filter((name) => desk.task(name).is_active);
const marks = (...names: readonly string[]) =>
  names.map((name) => /@([^\]]*)\]/.exec(withoutVersion(desk.task(name).remark))?.[1]);
const resumeDue = () => desk.take('tradeform resume --due --auto-approve');

test('nothing starts before its time, neither by an apply nor by --due; what is due starts, and nothing else', async () => {
  await desk.applied(
    sniper(),
    sniper({ name: 'beta' }),
    sniper({ name: 'gamma' }),
    sniper({ name: 'delta' }),
  );
  desk.edit('delta', { is_active: false });
  await desk.take('tradeform pause alpha delta --for 2h');
  await desk.take('tradeform pause beta --for 1d');
  await desk.take('tradeform pause gamma');
  expect(marks('alpha', 'delta')).toEqual([
    expect.stringMatching(/^![0-9a-z]{5}$/),
    expect.stringMatching(/^0!/),
  ]);
  await later(1.9);
  await desk.take('tradeform apply --auto-approve');
  await resumeDue();
  expect(runs('alpha', 'beta', 'gamma', 'delta')).toEqual([]);
  await later(0.2);
  await desk.take('tradeform apply --auto-approve');
  expect(runs('alpha', 'beta', 'gamma', 'delta')).toEqual([]);
  await resumeDue();
  expect(runs('alpha', 'beta', 'gamma', 'delta')).toEqual(['alpha']);
  expect(marks('delta')).toEqual(['0']);
  await later(24);
  await resumeDue();
  expect(runs('alpha', 'beta', 'gamma', 'delta')).toEqual(['alpha', 'beta']);
});

test('the due time is shown by pause, status, plan and drift, and survives changes in git', async () => {
  await desk.applied(sniper());
  const { text } = await desk.take('tradeform pause alpha --for 30m');
  const [, due = ''] = /Due at (\S{16}Z)/.exec(text) ?? [];
  expect(Date.parse(due.replace('Z', ':00Z'))).toBeGreaterThan(SYSTEM_CLOCK.now() + 29 * 60_000);
  desk.manifests(sniper({ amount: '0.6', spec: '  remark: New\n' }));
  await desk.take('tradeform apply --auto-approve');
  const said = `It is due at ${due}: from then on, tradeform resume --due starts it.`;
  for (const command of ['status', 'plan', 'plan -o markdown']) {
    const seen = await desk.take(`tradeform ${command}`);
    expect(seen.text.replaceAll('`', ''), command).toContain(said);
  }
  expect((await desk.take('tradeform drift', 2)).text.replaceAll('`', '')).toContain(said);
  const plan: Plan = await desk.plan();
  expect(plan.changes[0]?.due?.slice(0, 16)).toBe(due.slice(0, 16));
});

test('a pause without --for removes the due time, and of two due times the later counts', async () => {
  await desk.applied(sniper(), sniper({ name: 'beta' }));
  await desk.take('tradeform pause --all --for 2h');
  await desk.take('tradeform pause alpha');
  const { text } = await desk.take('tradeform pause --all --for 1h');
  expect(text).toContain('It is due later, at');
  await later(3);
  await resumeDue();
  expect(runs('alpha', 'beta')).toEqual(['beta']);
  const named = await desk.take('tradeform resume alpha --due --auto-approve');
  expect(named.text).toContain('It has no due time.');
  expect(runs('alpha')).toEqual([]);
});

test('a task that a person started in the meantime keeps running, whatever is due', async () => {
  await desk.applied(sniper());
  await desk.take('tradeform pause alpha --for 1h');
  desk.edit('alpha', { is_active: true });
  await later(2);
  await resumeDue();
  expect({ runs: runs('alpha'), marks: marks('alpha') }).toEqual({ runs: ['alpha'], marks: ['0'] });
});

test.each(['2', 'h', '0h', '1.5h', '2w', '400d', '-1h'])(
  '--for %s ends with 3 and sends nothing',
  async (time) => {
    await desk.applied(sniper());
    desk.sandbox.clearLog();
    const { text } = await desk.take(`tradeform pause --all --for=${time}`, 3);
    expect(text).toContain('Write minutes, hours or days, such as 30m, 2h or 1d');
    expect(desk.sandbox.log).toEqual([]);
  },
);

test('--due together with --held ends with 3', async () => {
  await desk.applied(sniper());
  await desk.take('tradeform resume --due --held', 3);
});
