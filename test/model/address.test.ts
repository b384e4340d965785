import { expect, test } from 'vitest';
import { addressParts, bareName, collectionOf, isBareName } from '../../src/core/model/address.ts';

test.each([
  ['sniper/dawn', { collection: 'sniper', name: 'dawn' }, 'sniper', 'dawn'],
  ['sniper/*', { collection: 'sniper', name: '*' }, 'sniper', '*'],
  ['label/a/b', { collection: 'label', name: 'a/b' }, 'label', 'a/b'],
  ['wallet-book/team', { collection: 'wallet-book', name: 'team' }, undefined, 'team'],
  ['/dawn', { collection: '', name: 'dawn' }, undefined, 'dawn'],
  ['sniper/', { collection: 'sniper', name: '' }, 'sniper', ''],
  ['sniper', { collection: 'sniper' }, undefined, 'sniper'],
  ['', { collection: '' }, undefined, ''],
])('%j is taken apart', (text, parts, collection, name) => {
  expect(addressParts(text)).toEqual(parts);
  expect(collectionOf(text)).toBe(collection);
  expect(bareName(text)).toBe(name);
  expect(isBareName(text)).toBe(!('name' in parts));
});
