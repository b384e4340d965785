import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/command/clock.ts';
import { sniper } from '../../manifest/samples.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { createSandboxTransport } from '../../support/sandbox-transport.ts';
import { Desk, type Said } from '../stuck/desk.ts';

/** `pause --all` freezes what it pauses, and `resume --all` ends the freeze of the same scope (DESIGN 3, "The freeze"), told in command lines. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
  await desk.applied(sniper(), sniper({ name: 'beta' }));
  desk.sandbox.clearLog();
});

/** The label of `pause --all`. */
const OF_PAUSE = 'freeze pause core';

const labels = () => [...desk.sandbox.state.labels.values()].map(({ name }) => name);
const place = (method: string, path: RegExp) =>
  desk.sandbox.log.findIndex((entry) => entry.method === method && path.test(entry.path));

/** A label of the web application. */
async function label(name: string): Promise<void> {
  const { status } = await createSandboxTransport(desk.sandbox).send({
    method: 'POST',
    path: '/labels',
    headers: { 'idempotency-key': randomUUID() },
    body: JSON.stringify({ name, sort_order: 1 }),
  });
  expect(status).toBe(201);
}

function withoutLabel(name: string): void {
  for (const [id, one] of desk.sandbox.state.labels)
    if (one.name === name) desk.sandbox.apply([{ type: 'label-removed', id }]);
}

test('the label is set before the first pause, keeps a merge from starting anything, and is deleted after the last start', async () => {
  const { text } = await desk.take('tradeform pause --all');
  expect(text).toContain('No apply starts or raises anything: the label "');
  expect(labels()).toEqual([OF_PAUSE]);
  expect(place('POST', /^\/labels$/)).toBeLessThan(place('POST', /\/pause$/));
  expect((await desk.take('tradeform status')).text).toContain('Held: no apply starts these.');
  desk.manifests(sniper(), sniper({ name: 'beta' }), sniper({ name: 'gamma' }));
  expect((await desk.take('tradeform plan')).text).toMatch(/freeze\) .* 0 to start .* 1 blocked .* BLOCKED/);
  expect((await desk.take('tradeform apply --auto-approve', 1)).text).toContain(
    `frozen by the label "${OF_PAUSE}"`,
  );
  expect(() => desk.task('gamma')).toThrow('0 tasks');
  expect((await desk.take('tradeform resume alpha --auto-approve', 4)).text).toMatch(
    /Nothing was sent\. .* Would start trading \(1\).* error\[frozen\]/,
  );
  desk.sandbox.clearLog();
  const dry = await desk.take('tradeform resume --all --dry-run');
  expect(dry.text).toContain(`The freeze would end: "${OF_PAUSE}".`);
  const { text: said } = await desk.take('tradeform resume --all --auto-approve');
  expect(said).toContain(`2 tasks started. The freeze ended: "${OF_PAUSE}".`);
  expect(`${dry.text} ${said}`).not.toContain('frozen');
  expect(labels()).toEqual([]);
  const last = desk.sandbox.log.findLastIndex(({ path }) => path.endsWith('/resume'));
  expect(place('DELETE', /^\/labels\//)).toBeGreaterThan(last);
  expect(['alpha', 'beta'].map((name) => desk.task(name).is_active)).toEqual([true, true]);
  await desk.take('tradeform apply --auto-approve');
  expect(desk.task('gamma').is_active).toBe(true);
});

test('one task starts again under the freeze of a pause by what the refusal says', async () => {
  await desk.take('tradeform pause --all');
  desk.manifests(sniper({ amount: '0.9' }), sniper({ name: 'beta' }));
  const refused = await desk.take('tradeform resume alpha --as-stored --auto-approve', 4);
  expect(refused.text).toContain('Delete the label in the web application, and run the command again');
  const held = await desk.take('tradeform apply --auto-approve --resume-stopped sniper/alpha', 1);
  expect(held.text).toContain(
    'When the reason is gone: `tradeform resume --all --as-stored` after `pause --all`, else delete the label. Then `tradeform apply`.',
  );
  withoutLabel(labels()[0] ?? '');
  await desk.take('tradeform resume alpha --as-stored --auto-approve');
  expect(['alpha', 'beta'].map((name) => desk.task(name).is_active)).toEqual([true, false]);
});

test('the way out of a freeze, where git raised a task meanwhile, is what the refusal says', async () => {
  await desk.take('tradeform pause --all');
  desk.manifests(sniper({ amount: '0.9' }), sniper({ name: 'beta' }));
  const { text } = await desk.take('tradeform resume --all --auto-approve', 4);
  expect(text).not.toContain('--resume-stopped');
  expect(text).toContain(
    '`tradeform resume --all --as-stored` starts it as it is stored, and ends the freeze',
  );
  await desk.take('tradeform resume --all --as-stored --auto-approve');
  await desk.take('tradeform apply --auto-approve');
  expect([desk.task('alpha').is_active, desk.task('alpha').config.buy_amount]).toEqual([true, '0.9']);
});

test('where git lowered a task meanwhile, an apply under the freeze is named first, and does it', async () => {
  await desk.take('tradeform pause --all');
  desk.manifests(sniper({ amount: '0.1' }), sniper({ name: 'beta' }));
  const { text } = await desk.take('tradeform resume --all --auto-approve', 4);
  expect(text).toContain('Lower it first: `tradeform apply` writes the config in git under the freeze, too');
  expect(text).toContain('`tradeform apply` first: it lowers 1 of them under the freeze, too.');
  await desk.take('tradeform apply --auto-approve', 0);
  expect([desk.task('alpha').is_active, desk.task('alpha').config.buy_amount]).toEqual([false, '0.1']);
  await desk.take('tradeform resume --all --auto-approve');
  expect(desk.task('alpha').is_active).toBe(true);
});

test('a name of no project freezes the account as well, and the first line says so and how to end it', async () => {
  const { text } = await desk.take('tradeform pause --all --project-name dsk', 1);
  expect(text).toMatch(/ Nothing was paused, but a freeze is set: no task of project dsk was found/);
  expect(text).toContain(
    'To start them again and end the freeze: `tradeform resume --all --project-name dsk`',
  );
  await desk.take('tradeform resume --all --project-name dsk --auto-approve');
  expect(labels()).toEqual([]);
});

test('a label that a person set is never deleted, and nothing starts under it', async () => {
  await label('freeze exploit');
  await desk.take('tradeform pause --all');
  const { text } = await desk.take('tradeform resume --all --auto-approve', 4);
  expect(text).toContain('frozen by the label "freeze exploit"');
  expect(labels().sort()).toEqual(['freeze exploit', OF_PAUSE]);
  withoutLabel('freeze exploit');
  await desk.take('tradeform resume --all --auto-approve');
  expect(labels()).toEqual([]);
});

/** What another person or another run sets, without a request. */
function labelNow(name: string): void {
  const [account = ''] = desk.sandbox.state.accounts.keys();
  const at = desk.sandbox.now();
  const record = { account, name, sort_order: 1, created_at: at, updated_at: at };
  desk.sandbox.apply([{ type: 'label', record: { id: randomUUID(), ...record } }]);
}

test.each(['freeze', 'freeze pause 261129'])(
  'the label %s that is set while a resume starts tasks stops the resume, and stands',
  async (name) => {
    await desk.take('tradeform pause --all');
    desk.before(({ path }) => {
      if (!path.endsWith('/resume')) return;
      desk.calm();
      void SYSTEM_CLOCK.sleep(6_000);
      labelNow(name);
    });
    const { text } = await desk.take('tradeform resume --all --auto-approve --concurrency 1', 1);
    expect(text).toContain(`Starts are frozen by the label "${name}".`);
    expect(text).toContain('The freeze still stands, because not all tasks were started.');
    expect(['alpha', 'beta'].filter((one) => desk.task(one).is_active)).toHaveLength(1);
    expect(labels()).toContain(name);
  },
);

test('a label of the switch that somebody gives another name meanwhile is not ended any more', async () => {
  await desk.take('tradeform pause --all');
  desk.before(({ path }) => {
    if (!path.endsWith('/resume')) return;
    desk.calm();
    void SYSTEM_CLOCK.sleep(6_000);
    for (const [id, one] of desk.sandbox.state.labels)
      desk.sandbox.apply([{ type: 'label', record: { ...one, id, name: 'freeze exploit' } }]);
  });
  const { text } = await desk.take('tradeform resume --all --auto-approve --concurrency 1', 1);
  expect(text).toContain('Starts are frozen by the label "freeze exploit".');
  expect(['alpha', 'beta'].filter((one) => desk.task(one).is_active)).toHaveLength(1);
  expect(labels()).toEqual(['freeze exploit']);
});

test('a start that has to wait is not sent if the freeze came meanwhile', async () => {
  await desk.take('tradeform pause --all');
  desk.sandbox.faults.add({
    fault: { type: 'error', code: 'rate_limit_exceeded', retry_after: 12 },
    times: 1,
    method: 'POST',
    path: '/resume$',
  });
  desk.before(({ path }) => {
    if (path.endsWith('/resume') && !labels().includes('freeze')) labelNow('freeze');
  });
  const { text } = await desk.take('tradeform resume --all --auto-approve --concurrency 1', 1);
  expect(text).toContain('frozen by the label "freeze"');
  expect(['alpha', 'beta'].filter((one) => desk.task(one).is_active)).toEqual([]);
});

test('17 pauses leave one label, and each of them a new one', async () => {
  const ids = new Set<string>();
  for (let times = 0; times < 17; times += 1) {
    await desk.take('tradeform pause --all');
    const [id = ''] = desk.sandbox.state.labels.keys();
    ids.add(id);
    expect(labels()).toEqual([OF_PAUSE]);
  }
  expect(ids.size).toBe(17);
});

test('each scope has its own freeze, and no resume ends another one', async () => {
  // What a person writes looks like the freeze of a project that has no task.
  await label('freeze pause 261129');
  desk.clone('beta', { remark: 'Other [git:desk/beta@0]', is_active: true });
  await desk.take('tradeform pause --all --project-name desk');
  const { text } = await desk.take('tradeform pause --all --include-unmanaged');
  expect(text).toContain('end the freeze: `tradeform resume --all --include-unmanaged`');
  await desk.take('tradeform pause --all');
  const all = ['freeze pause', 'freeze pause 261129', OF_PAUSE, 'freeze pause desk'];
  expect(labels().sort()).toEqual(all);
  expect((await desk.take('tradeform resume --all --auto-approve', 4)).text).toContain(
    '`tradeform resume --all --include-unmanaged` deletes it.',
  );
  const person = await desk.take('tradeform resume --all --include-unmanaged --auto-approve', 4);
  expect(person.text).toContain('frozen by the label "freeze pause 261129"');
  expect(labels().sort()).toEqual(all);
  withoutLabel('freeze pause 261129');
  withoutLabel('freeze pause');
  await desk.take('tradeform resume --all --auto-approve');
  expect([labels(), desk.task('alpha').is_active]).toEqual([['freeze pause desk'], true]);
  // The freeze of desk is none of core.
  desk.manifests(sniper({ amount: '0.9' }), sniper({ name: 'beta' }));
  const { text: applied } = await desk.take('tradeform apply --auto-approve');
  expect(applied).not.toContain('frozen');
  expect(desk.task('alpha')).toMatchObject({ is_active: true, config: { buy_amount: '0.9' } });
});

test('the freeze of the account ends where it began, also without a project', async () => {
  await desk.take('tradeform pause --all --include-unmanaged');
  expect(labels()).toEqual(['freeze pause']);
  const elsewhere = { cwd: temporaryFolder('nowhere') };
  const { code, text } = await desk.run(
    'tradeform resume --all --include-unmanaged --auto-approve',
    elsewhere,
  );
  expect([code, labels()]).toEqual([0, []]);
  expect(text).toContain('The freeze ended: "freeze pause".');
});

test('a pause that comes during a resume ends frozen, with everything off', async () => {
  await desk.take('tradeform pause --all');
  let pausing: Promise<Said> | undefined;
  desk.before(({ path }) => {
    if (path.endsWith('/resume')) pausing ??= desk.run('tradeform pause --all');
  });
  const { text } = await desk.run('tradeform resume --all --auto-approve --concurrency 1');
  expect([text, await pausing]).toEqual([expect.any(String), expect.objectContaining({ code: 0 })]);
  expect(labels()).toEqual([OF_PAUSE]);
  expect(['alpha', 'beta'].filter((one) => desk.task(one).is_active)).toEqual([]);
});

test('a pause whose label is taken away meanwhile sets another one, and reads again under it', async () => {
  desk.before(({ method, path }) => {
    if (method !== 'GET' || !path.startsWith('/labels') || !labels().includes(OF_PAUSE)) return;
    desk.calm();
    withoutLabel(OF_PAUSE);
    desk.edit('beta', { is_active: true });
  });
  await desk.take('tradeform pause --all');
  expect([labels(), desk.task('beta').is_active]).toEqual([[OF_PAUSE], false]);
});

test('no manifest deletes or renames the label of a freeze', async () => {
  await label('freeze exploit');
  const manifests = [
    'kind: Removal\nmetadata: { name: gone }\nspec: { resources: [label/freeze exploit] }\n',
    'kind: Label\nmetadata: { name: calm, previous_name: freeze exploit }\nspec: {}\n',
  ];
  for (const manifest of manifests) {
    desk.project.write('manifests/labels.yaml', `apiVersion: tradeform/v1\n${manifest}`);
    await desk.take('tradeform apply --auto-approve');
    expect(labels()).toContain('freeze exploit');
  }
});

test('a label of the switch is also deleted where nothing starts', async () => {
  desk.edit('alpha', { is_active: false });
  desk.edit('beta', { is_active: false });
  await desk.take('tradeform pause --all');
  expect(labels()).toEqual([OF_PAUSE]);
  const { text } = await desk.take('tradeform resume --all');
  expect(text).toMatch(/The freeze ended: .* would stay off\. Nothing was sent\. The freeze would end: /);
  expect(labels()).toEqual([]);
});

test('a resume of everything where nothing starts names a freeze that stays', async () => {
  await desk.take('tradeform pause --all --include-unmanaged');
  for (const name of ['alpha', 'beta'])
    await desk.take(`tradeform release --id ${desk.task(name).id} --auto-approve`);
  const { text } = await desk.take('tradeform resume --all --auto-approve');
  expect(text.replace(/\s+/g, ' ')).toContain('`tradeform resume --all --include-unmanaged` deletes it');
  expect(labels()).toEqual(['freeze pause']);
});

test.each([
  [
    'no room for a new label',
    async () => {
      await desk.take('tradeform pause --all');
      await Promise.all(Array.from({ length: 19 }, (_, index) => label(`l${index}`)));
    },
    'of an earlier pause stands, and a resume may delete it',
  ],
  [
    'no room for a label',
    () => Promise.all(Array.from({ length: 20 }, (_, index) => label(`l${index}`))),
    'Delete a label that nobody needs',
  ],
  [
    'no scope for labels',
    async () =>
      desk.sandbox.faults.add({
        fault: { type: 'error', code: 'insufficient_scope' },
        times: 0,
        method: 'POST',
        path: '/labels',
      }),
    'A label "freeze" that somebody sets',
  ],
])('%s: pause says so and goes on', async (_name, before, says) => {
  await before();
  const { text } = await desk.take('tradeform pause --all', 1);
  expect(text.replace(/\s+/g, ' ')).toContain(says);
  expect(text).toContain('error[not-frozen]');
  expect(text).toContain('Cancel an apply that runs now.');
  expect(['alpha', 'beta'].filter((name) => desk.task(name).is_active)).toEqual([]);
});

test.each(['--all --no-freeze', '--all --kind sniper', '--all --dry-run', 'alpha'])(
  'pause %s sets no label',
  async (choice) => {
    await desk.take(`tradeform pause ${choice}`);
    expect(labels()).toEqual([]);
  },
);
