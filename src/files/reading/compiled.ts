import { createHash } from 'node:crypto';
import { originIn } from '../../desired/build.ts';
import type { CompileResult } from '../../desired/compile.ts';
import { knowDigest, manifestsDigest } from '../../desired/digest.ts';
import type { DesiredResource, DesiredState, DesiredTask } from '../../desired/state.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { ReadResult } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';
import type { CompileWork } from './compile-work.ts';

type Read = (source: Source) => ReadResult;

/** A compiled project as plain data, and in front of its tasks: these follow in parts. */
interface KeptProject extends Pick<CompileResult, 'diagnostics'> {
  readonly digest: string;
  readonly kinds: readonly (readonly [string, number])[];
  readonly wallets: readonly (readonly [string, string])[];
  /** Without functions, wallets and tasks. */
  readonly state: DesiredState;
  /** Of each task, template and label, in their order: the number of its file, and its own in there; null for what several documents made. */
  readonly documents: readonly (readonly [file: number, number: number] | null)[];
}

/** A hash of all that the compiled project rests on. */
export function keyOf({ sources, variant, rest }: CompileWork): string {
  const hash = createHash('sha256').update(JSON.stringify([variant, rest]));
  // With its length, so that no text passes for the beginning of the next.
  for (const { file, text } of sources)
    hash.update(`\n${JSON.stringify(file)} ${text.length}\n`).update(text);
  return hash.digest('hex');
}

/** Tasks that are one text: never is all of it one more time in memory. */
const PART = 500;

/** Texts that `resultOf` makes the same of again, for a project that compiled. */
export function textsOf(
  { sources }: CompileWork,
  read: Read,
  { diagnostics, kinds, wallets, manifests }: CompileResult,
  state: DesiredState,
): readonly string[] {
  const documents = new Map<Manifest, readonly [number, number]>();
  for (const [file, source] of sources.entries())
    for (const [number, manifest] of read(source).manifests.entries())
      documents.set(manifest, [file, number]);
  const made = new Map(manifests().map((manifest) => [manifest.address, manifest]));
  const kept: KeptProject = {
    digest: manifestsDigest(state),
    diagnostics,
    kinds: [...kinds],
    wallets: [...wallets],
    state: { ...state, tasks: [] },
    documents: resourcesOf(state).map(({ address }) => {
      const manifest = made.get(address);
      return (manifest && documents.get(manifest)) ?? null;
    }),
  };
  return [kept, ...partsOf(state.tasks)].map((part) => JSON.stringify(part));
}

function* partsOf(tasks: DesiredState['tasks']): Iterable<DesiredState['tasks']> {
  for (let at = 0; at < tasks.length; at += PART) yield tasks.slice(at, at + PART);
}

/** The result that the texts were made of. Where values stand is looked up when it is asked for. */
export function resultOf(
  texts: Iterable<string>,
  { sources, compile }: CompileWork,
  read: Read,
): CompileResult {
  const tasks: DesiredTask[] = [];
  let kept: KeptProject | undefined;
  for (const text of texts) {
    if (kept === undefined) kept = JSON.parse(text) as KeptProject;
    else tasks.push(...(JSON.parse(text) as readonly DesiredTask[]));
  }
  if (kept === undefined) throw new Error('a project is kept in one text or more');
  const { digest, diagnostics, kinds, wallets, state: data, documents } = kept;
  const known = new Map<Source, ReadResult>();
  // Once for a file, however many manifests it holds.
  const readOnce: Read = (source) => {
    const result = known.get(source) ?? read(source);
    known.set(source, result);
    return result;
  };
  const again = once(() => compile(readOnce));
  const stateAgain = () => {
    const { state } = again();
    if (state === undefined) throw new Error('what compiled once compiles again');
    return state;
  };
  const resourcesAgain = once(() => byAddress(resourcesOf(stateAgain())));
  const removalsAgain = once(() => byAddress(stateAgain().removals));
  const state: DesiredState = {
    ...data,
    tasks,
    wallets: new Map(wallets),
    removals: data.removals.map((removal) => ({
      ...removal,
      origin: () => sameIn(removalsAgain(), removal.address).origin(),
    })),
  };
  for (const [index, resource] of resourcesOf(state).entries()) {
    const [file, number] = documents[index] ?? [];
    const source = file === undefined ? undefined : sources[file];
    const origin = once((): DesiredResource['origin'] => {
      const manifest = source && readOnce(source).manifests[number ?? 0];
      if (manifest !== undefined) return originIn(manifest);
      return sameIn(resourcesAgain(), resource.address).origin;
    });
    Object.assign(resource, { origin: (path: string) => origin()(path) });
  }
  knowDigest(state, digest);
  return {
    state,
    diagnostics,
    wallets: state.wallets,
    kinds: new Map(kinds),
    manifests: () => again().manifests(),
  };
}

function resourcesOf({ tasks, templates, labels }: DesiredState): readonly DesiredResource[] {
  return [...tasks, ...templates, ...labels];
}

function byAddress<T extends { readonly address: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.address, one]));
}

function sameIn<T>(all: ReadonlyMap<string, T>, address: string): T {
  const found = all.get(address);
  if (found === undefined) throw new Error(`${address} is not in the project that was compiled again`);
  return found;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
