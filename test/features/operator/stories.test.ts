import { beforeEach, describe, expect, test } from 'vitest';
import { sniper } from '../../manifest/samples.ts';
import { withoutVersion } from '../../support/versions.ts';
import { Desk } from '../stuck/desk.ts';

/** Who stopped a task is not lost (DESIGN 3, "The switch"): stories of people, applies and the operator, told in command lines. */

const PIN = '  account: { token_prefix: svc_live_5a4d0b0c }\n';
const RESUME = `${PIN}  stopped_tasks: resume\n`;

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
});

const apply = () => desk.take('tradeform apply --auto-approve');
const pauseAll = () => desk.take('tradeform pause --all');
const resumeAll = () => desk.take('tradeform resume --all --auto-approve');
const runs = () => desk.task('alpha').is_active;
const remark = () => withoutVersion(desk.task('alpha').remark);

/** Without a project file, as from a phone. */
function pauseBlindly() {
  return desk.run('tradeform pause --all --project-name core', { cwd: '/' });
}

test('plan and apply say that the switch stopped it, and how all of it starts again', async () => {
  const said = async (line: string) => (await desk.run(line)).text.replace(/\s+/g, ' ');
  await desk.applied(sniper());
  await pauseAll();
  const reason = 'The manifest wants it active, but `tradeform pause` switched it off.';
  const way = 'To start what `tradeform pause` switched off: `tradeform resume --all`.';
  expect(await said('tradeform plan')).toMatch(new RegExp(`${reason}.*${way}`));
  const applied = await said('tradeform apply --auto-approve');
  expect(applied.split(reason)).toHaveLength(2);
  await resumeAll();
  desk.edit('alpha', { is_active: false });
  expect(await said('tradeform plan')).not.toContain('resume --all');
});

describe('resume --all starts what the switch stopped, and nothing else', () => {
  test('a person pauses, then the switch comes without a project file', async () => {
    await desk.applied(sniper());
    desk.edit('alpha', { is_active: false });
    const { text } = await pauseBlindly();
    expect(remark()).toContain('@0!]');
    expect(text).toContain('1 task was off already (1 marked @0!)');
    await resumeAll();
    expect(runs()).toBe(false);
    await apply();
    expect(runs()).toBe(false);
  });

  test('buy_once fires under stopped_tasks: resume, and git changes the note', async () => {
    desk.projectFile(RESUME);
    await desk.applied(sniper({ config: '    buy_once: true\n' }));
    desk.sandbox.fire(desk.task('alpha').id);
    desk.manifests(sniper({ config: '    buy_once: true\n', spec: '  remark: Another note\n' }));
    await apply();
    expect(remark()).toBe('Another note [git:core/alpha@-]');
    await resumeAll();
    await apply();
    expect(runs()).toBe(false);
  });

  test('a paused task is adopted under stopped_tasks: resume', async () => {
    desk.projectFile(RESUME);
    await desk.applied(sniper({ spec: '  remark: Mine\n' }));
    desk.edit('alpha', { is_active: false, remark: 'Mine' });
    await apply();
    expect(remark()).toBe('Mine [git:core/alpha@-]');
    await resumeAll();
    await apply();
    expect(runs()).toBe(false);
  });

  test('a person starts a task that was switched off, an apply runs, and the person stops it', async () => {
    await desk.applied(sniper());
    await pauseAll();
    desk.edit('alpha', { is_active: true });
    await apply();
    expect(remark()).toContain('@0]');
    desk.edit('alpha', { is_active: false });
    await resumeAll();
    expect(runs()).toBe(false);
  });

  test('a person pauses between the mark and the pause of the switch', async () => {
    desk.projectFile(RESUME);
    await desk.applied(sniper());
    const { id } = desk.task('alpha');
    let pauses = 0;
    desk.before(({ path }) => {
      if (!path.endsWith('/pause')) return;
      pauses += 1;
      if (pauses === 1) desk.sandbox.editStored(id, { is_active: false });
    });
    await pauseAll();
    desk.calm();
    expect(remark()).toContain('@0!]');
    await apply();
    expect(runs()).toBe(false);
    desk.projectFile(PIN);
    await resumeAll();
    await apply();
    expect(runs()).toBe(false);
  });
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

describe('afterwards everything is as if the switch had not been used', () => {
  test('under stopped_tasks: resume the next apply starts what a person had stopped', async () => {
    desk.projectFile(RESUME);
    await desk.applied(sniper());
    desk.edit('alpha', { is_active: false });
    await pauseAll();
    await apply();
    expect(runs()).toBe(false);
    await resumeAll();
    expect({ runs: runs(), remark: remark() }).toEqual({ runs: false, remark: '[git:core/alpha@0]' });
    await apply();
    expect(runs()).toBe(true);
  });

  test('a task that runs again in the meantime loses the mark of the switch', async () => {
    await desk.applied(sniper());
    await pauseAll();
    desk.edit('alpha', { is_active: true });
    const { text } = await resumeAll();
    expect({ runs: runs(), remark: remark() }).toEqual({ runs: true, remark: '[git:core/alpha@0]' });
    expect(text).toContain('It runs because somebody started it; the mark of the switch is out of date.');
  });
});

test('hold and resume in turn: what is off stays off, whatever the project file says', async () => {
  await desk.applied(sniper());
  desk.edit('alpha', { is_active: false });
  await pauseAll();
  desk.projectFile(RESUME);
  await apply();
  expect({ runs: runs(), remark: remark() }).toEqual({ runs: false, remark: '[git:core/alpha@0!]' });
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
  expect(dry.text).toContain('2 tasks were off already (1 would be marked @!, 1 would be marked @0!)');
  const { text } = await pauseAll();
  expect(text).toContain('1 task paused; 2 tasks were off already (1 marked @!, 1 marked @0!)');
  expect(text).toContain('Its start was pending: now it waits for `resume --all` (@!).');
  expect(text).toContain('It was off before, and the switch may not have stopped it: it stays off');
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

test('a mark that could not be written: the next pause keeps the task off, and says that it knows no more', async () => {
  desk.projectFile(RESUME);
  await desk.applied(sniper());
  desk.sandbox.faults.add({
    path: 'configs/[^/]+$',
    method: 'PATCH',
    times: 0,
    fault: { type: 'error', code: 'validation_error' },
  });
  const first = await desk.take('tradeform pause --all', 1);
  expect(first.text).toContain('Its mark @! could not be written: the next apply may start it.');
  desk.calm();
  const { text } = await pauseAll();
  expect(text).toContain('the switch may not have stopped it: it stays off');
  await resumeAll();
  expect(runs()).toBe(false);
});
