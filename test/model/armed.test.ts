import { describe, expect, test } from 'vitest';
import {
  type Armed,
  armedAs,
  formatArmed,
  isSameArmed,
  parseArmed,
  worstPausedVersion,
} from '../../src/core/model/armed.ts';
import { formatRemark, noteRoom, parseRemark } from '../../src/core/model/marker.ts';

const ALL: readonly [string, Armed][] = [
  ['', undefined],
  ['@0', 0],
  ['@12', 12],
  ['@9999999', 9_999_999],
  ['@!', 'off'],
  ['@0!', 'kept-off'],
  ['@-', 'held'],
];

test.each(ALL)('%s is read and written', (text, armed) => {
  expect(formatArmed(armed)).toBe(text);
  expect(parseArmed(text === '' ? undefined : text.slice(1))).toEqual(armed);
  const remark = parseRemark(`Note [git:core/a${text}#b~5e0c]`);
  expect(remark).toMatchObject({ type: 'marked', note: 'Note', marker: { rearm: 'b', replaces: '5e0c' } });
  if (remark.type !== 'marked') return;
  expect(remark.marker.armed).toEqual(armed);
  expect(formatRemark(remark.note, remark.marker)).toBe(`Note [git:core/a${text}#b~5e0c]`);
});

test.each(['@', '@00', '@0-', '@-!', '@1!', '@!htcd9', '@0!-', '@!!', '@12345678'])(
  '%s is damaged',
  (text) => {
    expect(parseRemark(`Note [git:core/a${text}]`).type).toBe('damaged');
  },
);

test('a mark of a plan is the one that is written', () => {
  const marks = ['pending', 'settled', 'none', 'off', 'kept-off', 'held'] as const;
  expect(marks.map((mark) => armedAs(mark, 7))).toEqual([7, 0, undefined, 'off', 'kept-off', 'held']);
});

test.each(ALL)('%s is the same mark as itself, and as no other', (text, armed) => {
  expect(ALL.filter(([, other]) => isSameArmed(armed, other)).map(([other]) => other)).toEqual([text]);
});

test.each<[number, boolean, Armed, number]>([
  [3, true, undefined, 4],
  [3, false, undefined, 3],
  [3, true, 3, 4],
  [3, true, 4, 4],
  [3, true, 6, 6],
  [3, false, 6, 6],
  [3, true, 'off', 4],
])('version %d, active %s, mark %o: at worst %d once it is paused', (version, is_active, armed, worst) => {
  expect(worstPausedVersion(armed, { version, is_active })).toBe(worst);
});

describe('64 UTF-16 units', () => {
  test.each(ALL)('hold the longest allowed note, and %s', (_text, armed) => {
    const [project, name, rearm] = ['a'.repeat(12), 'b'.repeat(24), 'abc'];
    const note = '𝄞'.repeat(10).slice(0, noteRoom(project, name, rearm));
    expect(formatRemark(note, { project, name, rearm, replaces: '5e0c', armed }).length).toBeLessThanOrEqual(
      64,
    );
  });
});
