import { describe, expect, it } from 'vitest';
import { Desk } from './stuck/desk.ts';
import { NO_ROOM } from './stuck/no-room.ts';
import { type Row, rowsOfPage } from './stuck/page.ts';
import { REFUSED } from './stuck/refused.ts';
import { STOPPED } from './stuck/stopped.ts';
import { UNDERWAY } from './stuck/underway.ts';
import type { Walk, Walks } from './stuck/walk.ts';
import { WHOSE } from './stuck/whose.ts';

/**
 * The tables of docs/how-to/stuck.md and refused.md: every row is walked, by its own words and command lines. In a command
 * line and in what tradeform says, words in capitals stand for anything.
 */
const WALKS: Walks = { ...STOPPED, ...UNDERWAY, ...WHOSE, ...NO_ROOM, ...REFUSED };
const ROWS = rowsOfPage();

it('has a walk for every row, and a row for every walk', () => {
  expect(ROWS.map(({ key }) => key)).toEqual(Object.keys(WALKS));
});

describe.each(ROWS)('$key', (row) => {
  const walks = WALKS[row.key] ?? [];
  const said: string[] = [];
  const done: string[] = [];

  it.each(walks.map((walk, index) => [index + 1, walk] as const))(
    'has a way out: %i',
    async (_index, walk) => {
      const seen = await walkOut(row, walk);
      said.push(seen.said);
      done.push(...seen.done);
    },
  );

  it('says and does only what a walk has seen and done', () => {
    const unseen = row.words.filter((phrase) => !said.some((text) => phrase.isIn(text)));
    const undone = row.ways.filter((phrase) => !done.some((step) => phrase.is(step)));
    expect({ unseen: unseen.map(({ text }) => text), undone: undone.map(({ text }) => text) }).toEqual({
      unseen: [],
      undone: [],
    });
  });
});

/** Walks, and checks the end: nothing left to do or blocked, and every switch as it should be. */
async function walkOut(
  row: Row,
  walk: Walk,
): Promise<{ readonly said: string; readonly done: readonly string[] }> {
  const desk = await Desk.open(walk);
  await walk.go(desk);
  const { seen, done } = desk;
  expect(
    row.words.filter((phrase) => phrase.isIn(seen)),
    `the words of the row in: ${seen}`,
  ).not.toEqual([]);
  const undocumented = done.filter((step) => !row.ways.some((phrase) => phrase.is(step)));
  expect(undocumented, 'steps that the row does not have').toEqual([]);
  const { code, text } = await desk.run('tradeform plan --detailed-exitcode');
  expect(code, text).toBe(0);
  const { operations, changes } = await desk.plan();
  expect(operations).toEqual([]);
  const held = changes.filter((change) => change.held).map(({ id }) => id);
  expect(desk.switches(held)).toEqual(walk.ends);
  return { said: seen, done };
}
