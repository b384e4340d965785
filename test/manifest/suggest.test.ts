import { expect, test } from 'vitest';
import { nearest } from '../../src/core/diagnostics/suggest.ts';

const FIELDS = ['buy_amount', 'relay_mode', 'priority_mode', 'selected_dexes', 'buy_once'];

test.each([
  ['buy_ammount', 'buy_amount'],
  ['buyAmount', 'buy_amount'],
  ['BUY-ONCE', 'buy_once'],
  ['realy_mode', 'relay_mode'],
  ['selected_dex', 'selected_dexes'],
  ['relay', 'relay_mode'],
  // Two begin with it, and two letters begin too much.
  ['buy', undefined],
  ['re', undefined],
  ['color', undefined],
  ['x', undefined],
  ['buy_amount'.repeat(50), undefined],
])('%s → %s', (written, expected) => {
  expect(nearest(written, FIELDS)).toBe(expected);
});
