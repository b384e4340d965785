import { beforeAll, expect, it, vi } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

/** The button of examples/ci/github/stop.yml, on the account of a desk. */
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  for (const name of ['dawn', 'dusk']) desk.sniper(name, '0.2');
  desk.repository.commit();
  expect((await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none', only: 'all' })).code).toBe(0);
}, 180_000);

const FORM = {
  command: 'pause',
  tasks: 'all',
  label: '',
  unmanaged: 'false',
  'as-stored': 'false',
  'project-name': '',
};
const running = () => ['dawn', 'dusk'].filter((name) => desk.live(name).is_active);
const writes = () => desk.sandbox.log.filter(({ method }) => method !== 'GET').length;

async function pressed(form: Partial<typeof FORM>, commit?: string) {
  const jobs = await desk.runJobs('stop.yml', 'workflow_dispatch', { ...FORM, ...form }, commit);
  return jobs.filter(({ code }) => code !== undefined);
}

it('pauses one task, then everything, and a merge starts nothing of it', async () => {
  const [one] = await pressed({ tasks: 'sniper/dawn' });
  expect(one?.code, one?.log).toBe(0);
  expect(running()).toEqual(['dusk']);
  const jobs = await pressed({});
  expect(jobs.map(({ job, code }) => [job, code])).toEqual([['pause', 0]]);
  expect(jobs[0]?.log).toContain('sniper/dusk');
  expect(running()).toEqual([]);
  desk.sniper('dawn', '0.3');
  desk.repository.commit();
  const applied = await desk.run('apply.yml', 'workflow_dispatch', { expect: 'none', only: 'all' });
  // The account is frozen: the raise waits as well.
  expect(applied.code, applied.log).toBe(1);
  expect(applied.log).toContain('frozen by the label "freeze pause core');
  expect([desk.live('dawn').config.buy_amount, running()]).toEqual(['0.2', []]);
});

it('resumes after it has shown what would start, with the token that reads', async () => {
  const before = writes();
  // Git has another amount by now, so --auto-approve would be refused: nobody is asked to review that.
  desk.sniper('dawn', '0.4');
  desk.repository.commit();
  const [refused, ...none] = await pressed({ command: 'resume' });
  expect([refused?.job, refused?.code, none, writes()]).toEqual(['show', 4, [], before]);
  expect(refused?.log).toContain('resume-as-stored');
  const [shown, resumed] = await pressed({ command: 'resume', 'as-stored': 'true' });
  expect(shown).toMatchObject({ job: 'show', code: 0 });
  expect(shown?.log).toContain('sniper/dusk');
  expect(shown?.outputs.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(resumed?.code, resumed?.log).toBe(0);
  expect(running()).toEqual(['dawn', 'dusk']);
  expect(writes()).toBeGreaterThan(before);
});

it('resumes nothing by the manifests of an old commit, and pauses by any', async () => {
  const old = desk.repository.git('rev-parse', 'HEAD');
  desk.sniper('dawn', '0.2');
  desk.repository.commit();
  const before = desk.sandbox.log.length;
  const jobs = await pressed({ command: 'resume', 'as-stored': 'true' }, old);
  expect(jobs.map(({ job, code }) => [job, code])).toEqual([['show', 5]]);
  expect(jobs[0]?.log).toContain(`${old.slice(0, 12)} is superseded by`);
  expect(desk.sandbox.log.length).toBe(before);
  expect((await pressed({ command: 'resume' }))[1]?.code).toBe(0);
  const [paused] = await pressed({ tasks: 'sniper/dusk' }, old);
  expect([paused?.code, running()], paused?.log).toEqual([0, ['dawn']]);
  expect((await pressed({ command: 'resume' }))[1]?.code).toBe(0);
});

it('pauses where the project file is broken, with the name of the project', async () => {
  desk.repository.write('tradeform.yaml', 'kind: [');
  desk.repository.commit();
  const [broken] = await pressed({ tasks: 'sniper/dusk' });
  expect([broken?.code, running()]).toEqual([3, ['dawn', 'dusk']]);
  const [paused] = await pressed({ tasks: 'sniper/dusk', 'project-name': 'core' });
  expect([paused?.code, running()], paused?.log).toEqual([0, ['dawn']]);
  desk.repository.git('revert', '--no-edit', 'HEAD');
  expect((await pressed({ command: 'resume' }))[1]?.code).toBe(0);
});

it('a text in the form chooses tasks and is never an option', async () => {
  const before = desk.sandbox.log.length;
  for (const tasks of ['--base-url=https://elsewhere.invalid', '--all', '-C /']) {
    const [paused] = await pressed({ tasks });
    expect(paused?.code, paused?.log).not.toBe(0);
    expect(paused?.log).not.toContain('elsewhere.invalid/');
  }
  const [named] = await pressed({ 'project-name': 'x --base-url=https://elsewhere.invalid' });
  expect(named?.code, named?.log).not.toBe(0);
  const [labelled] = await pressed({ label: '--all' });
  expect(labelled?.code, labelled?.log).not.toBe(0);
  expect(running()).toEqual(['dawn', 'dusk']);
  expect(desk.sandbox.log.slice(before).every(({ method }) => method === 'GET')).toBe(true);
});

it.each([
  [{ tasks: '' }, 3, /no task is named/],
  [{ tasks: 'sniper/dawn', label: 'trial' }, 3, /name tasks, or a label, and not both/],
])('%j is refused', async (form, code, says) => {
  const [paused] = await pressed(form);
  expect([paused?.code, running()], paused?.log).toEqual([code, ['dawn', 'dusk']]);
  expect(paused?.log).toMatch(says);
});
