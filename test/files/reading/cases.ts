import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Source } from '../../../src/manifest/source.ts';

export const CASES = join(import.meta.dirname, '../../manifest/cases');

/** The folders of the manifest cases: right and wrong manifests of every sort. */
export const CASE_NAMES: readonly string[] = readdirSync(CASES).filter((name) =>
  statSync(join(CASES, name)).isDirectory(),
);

/** Every text of the cases that could be a manifest. */
export function caseTexts(): readonly Source[] {
  return readdirSync(CASES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name) && statSync(join(CASES, name)).isFile())
    .sort()
    .map((name) => new Source(name, readFileSync(join(CASES, name), 'utf8')));
}
