import { expect, it } from 'vitest';
import { bounded, project, said, sniper } from './bounded.ts';

const STARS = '*a'.repeat(40);
const TASK = { 'manifests/one.yaml': sniper('a'.repeat(24)) };

/** Attacks upon what matches names, and what `validate` says of them. */
const ATTACKS: readonly (readonly [string, Readonly<Record<string, string>>, number, string])[] = [
  [
    'stars in the name of a manifest file',
    {
      'tradeform.yaml': project(`  manifests: ["manifests/*.yaml", "manifests/${STARS}*.txt"]\n`),
      [`manifests/${'a'.repeat(200)}.txx`]: '',
      ...TASK,
    },
    3,
    'matches no file',
  ],
  [
    'folders of any depth, many times',
    {
      'tradeform.yaml': project(`  manifests: ["manifests/*.yaml", "${'**/*/'.repeat(20)}x.yaml"]\n`),
      [`${'a/'.repeat(40)}y.yaml`]: '',
      ...TASK,
    },
    3,
    'matches no file',
  ],
  [
    'braces within braces',
    { 'tradeform.yaml': project(`  manifests: ["${'{'.repeat(50_000)}${'}'.repeat(50_000)}"]\n`), ...TASK },
    3,
    'it has 100000 characters; at most 1000 are allowed',
  ],
  [
    'stars in the targets of patches',
    {
      'tradeform.yaml': project(
        `  environments:\n    prod:\n      patches:\n${`        - { target: "sniper/${'*a'.repeat(14)}*b", patch: { spec: { remark: x } } }\n`.repeat(60)}`,
      ),
      ...TASK,
    },
    0,
    'patch-unused: the patch for sniper/',
  ],
];

it.each(ATTACKS)('%s end a run soon', async (_name, files, code, text) => {
  const ran = await bounded(['validate', '-o', 'json'], files);
  expect(said(ran)[0]).toContain(text);
  expect(ran.code).toBe(code);
});
