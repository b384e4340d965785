import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { canonicalText } from '../../src/core/model/shape.ts';
import { sniperConfig } from '../support/builders.ts';

it('keeps nothing of configs whose fields have names that no schema has, and two sets of names stay apart', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const hostile = (number: number) =>
    Object.fromEntries(Array.from({ length: 600 }, (_item, at) => [`${'x'.repeat(90)}${number}-${at}`, 1]));
  canonicalText('sniperConfig', hostile(0));
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let at = 1; at <= 90; at += 1) canonicalText('sniperConfig', hostile(at));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  const { buy_amount, ...rest } = sniperConfig();
  const turned = { ...rest, buy_amount: `${buy_amount}0` };
  const known = canonicalText('sniperConfig', sniperConfig());
  expect(canonicalText('sniperConfig', { ...turned, legacy: 1 })).not.toBe(known);
  expect(canonicalText('sniperConfig', turned)).toBe(known);
});
