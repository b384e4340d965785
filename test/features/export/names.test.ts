import { describe, expect, it, test } from 'vitest';
import { NAME_PATTERN } from '../../../src/core/model/address.ts';
import { noteRoom } from '../../../src/core/model/marker.ts';
import { fittingNote, Names, nameRoom, slug } from '../../../src/kit/export/pure/names.ts';
import fc from '../../properties.ts';

describe('a name from a remark', () => {
  it.each([
    ['Follow whale 7', 'follow-whale-7'],
    ['  Über die Börse!! ', 'uber-die-borse'],
    ['🐳 whale 🐳', 'whale'],
    ['🐳', ''],
    ['a--b__c', 'a-b-c'],
    ['Launches of the early morning hours', 'launches-of-the-early'],
    ['x'.repeat(40), 'x'.repeat(24)],
  ])('%s is %s', (text, name) => expect(slug(text)).toBe(name));

  it('leaves room for the note, but stays readable', () => {
    expect(nameRoom('Follow whale 7', 'core', undefined)).toBe(21);
    expect(nameRoom('x'.repeat(64), 'core', undefined)).toBe(8);
    expect(nameRoom('', 'a-long-name1', 'abc')).toBe(23);
  });

  it('is assigned once: others are numbered', () => {
    const names = new Names(['whale-2']);
    expect(['whale', 'whale', 'whale'].map((name) => names.take(name))).toEqual([
      'whale',
      'whale-3',
      'whale-4',
    ]);
    expect([1, 2].map(() => names.take('x'.repeat(24)))).toEqual(['x'.repeat(24), `${'x'.repeat(22)}-2`]);
    expect([1, 2].map(() => names.take('seven-up', 8))).toEqual(['seven-up', 'seven-2']);
  });
});

it('a note without room beside its marker is cut between characters, and this is reported', () => {
  expect(fittingNote('Follow whale 7', 'core', 'whale-7', undefined)).toBe('Follow whale 7');
  expect(fittingNote('🐳'.repeat(32), 'core', 'whale-7', undefined)).toBe(`${'🐳'.repeat(13)}…`);
});

test('for any remarks: names are valid and unique, and every note fits beside its marker', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 64 }), fc.constantFrom('whale', 'Whale 7'))),
      fc.constantFrom('a', 'core', 'a-long-name1'),
      (notes, project) => {
        const names = new Names([]);
        const taken = notes.map((note, index) => {
          const room = nameRoom(note, project, 'abc');
          const name = names.take(slug(note, room) || `sniper-${index}`, room);
          expect(name).toMatch(NAME_PATTERN);
          const fitting = fittingNote(note, project, name, 'abc');
          expect(fitting.length).toBeLessThanOrEqual(noteRoom(project, name, 'abc'));
          if (note.length <= noteRoom(project, name, 'abc')) expect(fitting).toBe(note);
          return name;
        });
        expect(new Set(taken).size).toBe(taken.length);
      },
    ),
    { seed: 1 },
  );
});
