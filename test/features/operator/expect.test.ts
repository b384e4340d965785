import { beforeEach, expect, test } from 'vitest';
import { sniper } from '../../manifest/samples.ts';
import { Desk } from '../stuck/desk.ts';
import { expectSchema, operate } from './operate.ts';

/** `resume --expect`: what starts is what was shown before, or nothing. */

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open({ ends: [], go: () => Promise.resolve() });
  await desk.applied(sniper(), sniper({ name: 'beta' }));
});

const running = () =>
  desk
    .tasks()
    .filter(({ is_active }) => is_active)
    .map(({ remark }) => /core\/(\w+)/.exec(remark)?.[1])
    .sort();

/** The digest that a dry run ends with; the document has the same one. */
async function shown(line = '--all'): Promise<string> {
  const { text } = await desk.take(`tradeform resume ${line} --dry-run`);
  const [, digest = ''] = / Digest ([0-9a-f]{64}) /.exec(text) ?? [];
  const json = await operate(desk.project).resume([], { all: true, dryRun: true, output: 'json' });
  if (line === '--all') expect(expectSchema('report', json.stdout)).toMatchObject({ digest });
  return digest;
}

test('starts what was shown, without a question', async () => {
  await desk.take('tradeform pause alpha');
  const digest = await shown();
  await desk.take(`tradeform resume --all --expect ${digest.toUpperCase()}`);
  expect(running()).toEqual(['alpha', 'beta']);
  // A pause has none.
  const { stdout } = await operate(desk.project).pause([], { all: true, dryRun: true, output: 'json' });
  expect(expectSchema('report', stdout)).toMatchObject({ digest: null });
});

test.each<[string, () => Promise<unknown>, string]>([
  ['more tasks', () => desk.take('tradeform pause beta'), '2 tasks would start'],
  [
    'another amount',
    async () => desk.edit('alpha', { config: { ...desk.task('alpha').config, buy_amount: '7' } }),
    '1 task would start',
  ],
  [
    'the end of a freeze',
    async () => void (await operate(desk.project).pause([], { all: true, freeze: true })),
    '2 tasks would start',
  ],
  [
    'a mark that is removed',
    async () => {
      desk.edit('beta', { is_active: false });
      await desk.take('tradeform pause --all --no-freeze');
    },
    '1 task would start',
  ],
])('%s than was shown: nothing starts (4)', async (_name, happens, says) => {
  await desk.take('tradeform pause alpha');
  const digest = await shown();
  await happens();
  const before = running();
  desk.sandbox.clearLog();
  const { text } = await desk.take(`tradeform resume --all --as-stored --expect ${digest}`, 4);
  expect(text).toContain('error[digest-differs]: the resume is not the approved one');
  expect(text).toContain(says);
  expect(text.replace(/\s+/g, ' ')).toMatch(/hint: To approve what would start now: --expect \w{64}\./);
  expect(running()).toEqual(before);
  expect(desk.sandbox.log.every(({ method }) => method === 'GET')).toBe(true);
});

test('a task of somebody else is part of the digest', async () => {
  await desk.take('tradeform pause alpha');
  desk.edit('beta', { is_active: false, remark: 'Mine alone' });
  const { id } = desk.tasks().find(({ remark }) => remark === 'Mine alone') ?? { id: '' };
  const line = `sniper/alpha ${id} --include-unmanaged`;
  expect(await shown(line)).not.toBe(await shown('sniper/alpha'));
});

test('the beginning of a digest approves nothing', async () => {
  const { text } = await desk.take(`tradeform resume --all --expect ${'a'.repeat(16)}`, 3);
  expect(text).toContain('is not a complete digest');
  expect(text).toContain('`tradeform resume --dry-run` ends');
});
