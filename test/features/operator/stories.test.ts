import { beforeEach, expect, test } from 'vitest';
import { sniper } from '../../manifest/samples.ts';
import { withoutVersion } from '../../support/versions.ts';
import { Desk } from '../stuck/desk.ts';

/** Who stopped a task is not lost (DESIGN 3, "The switch"): stories of people, applies and the operator, told in command lines. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
});

const apply = () => desk.take('tradeform apply --auto-approve');
const pauseAll = () => desk.take('tradeform pause --all');
const resumeAll = () => desk.take('tradeform resume --all --auto-approve');
const runs = () => desk.task('alpha').is_active;
const remark = () => withoutVersion(desk.task('alpha').remark);

test('plan and apply say that the switch stopped it, and how all of it starts again', async () => {
  const said = async (line: string) => (await desk.run(line)).text.replace(/\s+/g, ' ');
  await desk.applied(sniper());
  await pauseAll();
  const reason = 'Off since `tradeform pause`, until `tradeform resume`.';
  const way = 'To start what `tradeform pause` switched off: `tradeform resume --all`.';
  expect(await said('tradeform plan')).toMatch(new RegExp(`${reason}.*${way}`));
  const applied = await said('tradeform apply --auto-approve');
  expect(applied.split(reason)).toHaveLength(2);
  await resumeAll();
  desk.edit('alpha', { is_active: false });
  expect(await said('tradeform plan')).not.toContain('resume --all');
});

test('state: manual: a running task that the operator paused and resumed runs again', async () => {
  const manual = sniper().replace('state: active', 'state: manual');
  await desk.applied(manual);
  desk.edit('alpha', { is_active: true });
  await pauseAll();
  await apply();
  expect(remark()).toContain('@!]');
  await resumeAll();
  expect(runs()).toBe(true);
  await apply();
  expect(remark()).toBe('[git:core/alpha]');
});

test('git changes the config, the note and the target of a task that is switched off: the mark is kept', async () => {
  await desk.applied(sniper());
  await desk.take('tradeform pause --all --no-freeze');
  desk.manifests(sniper({ amount: '0.6', spec: '  remark: New\n' }));
  await apply();
  expect(remark()).toBe('New [git:core/alpha@!]');
  desk.manifests(sniper({ wallet: '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj' }));
  await apply();
  expect({ runs: runs(), remark: remark().replace(/~.*\]/, ']') }).toEqual({
    runs: false,
    remark: '[git:core/alpha@!]',
  });
  await resumeAll();
  expect(runs()).toBe(true);
});

test('1 paused, 2 were off already: the report says what was written on those two', async () => {
  await desk.applied(sniper(), sniper({ name: 'beta' }), sniper({ name: 'gamma' }));
  desk.edit('beta', { is_active: false });
  const { version } = desk.task('gamma');
  desk.edit('gamma', { is_active: false, remark: `[git:core/gamma@${version + 1}]` });
  const dry = await desk.take('tradeform pause --all --dry-run');
  expect(dry.text).toContain('2 were off already');
  const { text } = await pauseAll();
  expect(text).toContain('1 task paused; 2 were off already');
  expect(text).toContain('It was about to start: it stays off until `resume --all`.');
  expect(text).toContain('It was off before this pause, perhaps by a person: `resume --all` leaves it off.');
  await resumeAll();
  expect(['alpha', 'beta', 'gamma'].map((name) => desk.task(name).is_active)).toEqual([true, false, true]);
});

test.each(['status', 'pause', 'resume', 'pause --dry-run'])(
  '%s: a name that is nearly one is told, with its address',
  async (command) => {
    await desk.applied(sniper(), sniper({ name: 'beta' }));
    expect((await desk.take(`tradeform ${command} alhpa`, 3)).text).toContain('did you mean sniper/alpha?');
    expect((await desk.take(`tradeform ${command} sniper/btea`, 3)).text).toContain(
      'did you mean sniper/beta?',
    );
  },
);
