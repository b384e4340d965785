import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, inOne } from '../../src/core/desired/compile.ts';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import { readProjectSettings } from '../../src/core/desired/project.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import { Source } from '../../src/core/manifest/source.ts';
import { makePlan } from '../../src/core/plan/plan.ts';
import fc from '../properties.ts';
import { planInput } from '../support/builders.ts';
import { runs } from '../support/sample.ts';
import { createWorld } from '../support/world.ts';
import { EXAMPLES } from './example.ts';

/** Composition of examples/fleet depends on what the manifests say, not on where and in which order they say it. */
const FLEET = join(EXAMPLES, 'fleet');
const PROJECT = readFileSync(join(FLEET, 'tradeform.yaml'), 'utf8');
const FILES = readdirSync(join(FLEET, 'manifests'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => ({ file: `manifests/${name}`, text: readFileSync(join(FLEET, 'manifests', name), 'utf8') }));

interface File {
  readonly file: string;
  readonly text: string;
}

function desired(files: readonly File[], environment = 'production'): DesiredState {
  const { settings, manifest } = readProjectSettings(new Source('tradeform.yaml', PROJECT), environment);
  if (settings === undefined) throw new Error('the project file is not usable');
  const { state, diagnostics } = inOne(
    compile({
      settings,
      project: manifest,
      sources: files.map(({ file, text }) => new Source(file, text)),
      allRead: true,
      table: (file) => ({ source: new Source(file, readFileSync(join(FLEET, file), 'utf8')) }),
    }),
  );
  expect(diagnostics).toEqual([]);
  if (state === undefined) throw new Error('nothing was compiled');
  return state;
}

function documents(text: string): string[] {
  return text.split(/^---\n/m);
}

function shuffled<T>(items: readonly T[]): fc.Arbitrary<T[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}

/** The documents of each folder, dealt anew to the files of that folder. */
function dealt(files: readonly File[]): fc.Arbitrary<File[]> {
  const folders = [...new Set(files.map(({ file }) => dirname(file)))];
  const parts = folders.map((folder) => {
    const own = files.filter(({ file }) => dirname(file) === folder);
    const all = own.flatMap(({ text }) => documents(text));
    return fc
      .tuple(
        shuffled(all),
        fc.array(fc.nat(own.length - 1), { minLength: all.length, maxLength: all.length }),
      )
      .map(([order, owners]) =>
        own.map(({ file }, index) => ({
          file,
          text: order.filter((_, at) => owners[at] === index).join('---\n'),
        })),
      );
  });
  return fc.tuple(...parts).map((lists) => lists.flat().filter(({ text }) => text !== ''));
}

it('gives the same plan, byte for byte, for any order of the files', async () => {
  // What staging wants is what the service holds: the plan for production has changes of most kinds.
  const world = createWorld({});
  await world.apply(await world.plan(desired(FILES, 'staging')));
  const live = await world.read();
  const bytes = (files: readonly File[]) => JSON.stringify(makePlan(planInput(desired(files), live)));
  const expected = bytes(FILES);
  expect(JSON.parse(expected).operations.length).toBeGreaterThan(100);
  fc.assert(
    fc.property(shuffled(FILES), (files) => {
      expect(bytes(files)).toBe(expected);
    }),
    { numRuns: runs(12) },
  );
});

it('gives the same desired state for any order of documents, in whichever file of their folder', () => {
  const expected = manifestsDigest(desired(FILES));
  expect(manifestsDigest(desired(FILES, 'staging'))).not.toBe(expected);
  fc.assert(
    fc.property(dealt(FILES), (files) => {
      expect(manifestsDigest(desired(files))).toBe(expected);
    }),
    { numRuns: runs(25) },
  );
});
