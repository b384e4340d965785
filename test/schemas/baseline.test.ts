import { expect, it } from 'vitest';
import { type Baseline, broken, currentBaseline, readBaseline } from './baseline.mjs';

const current = currentBaseline();

it('what others rely on holds: an incompatible change needs a new version of the format', () => {
  expect(broken(readBaseline(), current)).toEqual([]);
});

it('the baseline has what was added since, so that it cannot go unnoticed: npm run baseline', () => {
  expect(readBaseline()).toEqual(current);
});

/** The baseline after a change in each text that has the words. */
function changed(from: string, to: string): Baseline {
  let times = 0;
  const baseline = currentBaseline((text) => {
    times += text.split(from).length - 1;
    return text.replaceAll(from, to);
  });
  expect(times, from).toBeGreaterThan(0);
  return baseline;
}

it.each([
  ['a code', '| [`account-mismatch`]', '', 'codes: account-mismatch is gone'],
  ['an exit code', '| 130 |', '', 'exits: 130 is gone'],
  ['the grammar of markers', '^\\\\[git:', '^\\\\[git2:', 'marker:'],
  ['a format', '"tradeform.drift/1"', '"tradeform.other/1"', 'tradeform.drift/1 is gone'],
  ['a field of a document', '"manifests_digest":', '"manifests_sum":', '/manifests_digest is gone'],
  [
    'a field that is always in a document',
    '"complete", "summary",',
    '"summary",',
    'complete is not required',
  ],
  [
    'a type in a document',
    '"dirty": { "type": "boolean"',
    '"dirty": { "type": ["boolean", "null"]',
    'boolean,null',
  ],
  ['a field of a manifest', '"linked_wallets":', '"linked":', '/linked_wallets is gone'],
  [
    'a field that need not be in a manifest',
    '"required": [\n        "name"\n',
    '"required": [\n        "name", "id"\n',
    'id was not required',
  ],
  ['a word in a manifest', '"active",', '', 'active,paused,manual became paused,manual'],
  ['a range in a manifest', '"maxLength": 128', '"maxLength": 100', '128 became 100'],
])('%s that goes is found', (_name, from, to, says) => {
  expect(broken(current, changed(from, to)).join('\n')).toContain(says);
});

it.each([
  ['a new field of a document', '"manifests_digest":', '"new": { "type": "string" }, "manifests_digest":'],
  ['a new code', '| [`account-mismatch`]', '| [`account-new`]\n| [`account-mismatch`]'],
  ['a higher number of a format', '"tradeform.drift/1"', '"tradeform.drift/2"'],
  ['a wider range in a manifest', '"maxLength": 128', '"maxLength": 256'],
  ['a new word in a manifest', '"active",', '"active", "other",'],
])('%s breaks nothing', (_name, from, to) => {
  expect(broken(current, changed(from, to))).toEqual([]);
});
