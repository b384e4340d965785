import { expect, test } from 'vitest';
import { nearest } from '../../src/manifest/suggest.ts';

const FIELDS = ['buy_amount', 'relay_mode', 'priority_mode', 'selected_dexes', 'buy_once'];

test.each([
  ['buy_ammount', 'buy_amount'],
  ['buyAmount', 'buy_amount'],
  ['BUY-ONCE', 'buy_once'],
  ['realy_mode', 'relay_mode'],
  ['selected_dex', 'selected_dexes'],
  ['color', undefined],
  ['x', undefined],
  ['buy_amount'.repeat(50), undefined],
])('%s → %s', (written, expected) => {
  expect(nearest(written, FIELDS)).toBe(expected);
});
