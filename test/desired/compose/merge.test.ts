import { describe, expect, test } from 'vitest';
import { mergePatch } from '../../../src/core/desired/compose/layer.ts';
import type { Json } from '../../../src/core/model/json.ts';
import fc from '../../properties.ts';

/** RFC 7396, appendix A: original, patch, result. */
const APPENDIX: readonly (readonly [Json, Json, Json])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

/** RFC 7396, section 1: the example of the text. */
const EXAMPLE = {
  original: {
    title: 'Goodbye!',
    author: { givenName: 'John', familyName: 'Doe' },
    tags: ['example', 'sample'],
    content: 'This will be unchanged',
  },
  patch: {
    title: 'Hello!',
    phoneNumber: '+01-123-456-7890',
    author: { familyName: null },
    tags: ['example'],
  },
  result: {
    title: 'Hello!',
    author: { givenName: 'John' },
    tags: ['example'],
    content: 'This will be unchanged',
    phoneNumber: '+01-123-456-7890',
  },
};

const json = fc.jsonValue({ depthSize: 'small', noUnicodeString: true }) as fc.Arbitrary<Json>;

describe('JSON merge patch', () => {
  test.each(APPENDIX)('%j with %j gives %j', (original, patch, result) => {
    expect(mergePatch(original, patch)).toEqual(result);
  });

  test('the example of the RFC', () => {
    expect(mergePatch(EXAMPLE.original, EXAMPLE.patch)).toEqual(EXAMPLE.result);
  });

  test('changes neither side', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
  });

  test('a patch that was applied changes nothing more', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });
});
