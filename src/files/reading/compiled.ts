import { createHash } from 'node:crypto';
import { originIn } from '../../desired/build.ts';
import type { CompileResult } from '../../desired/compile.ts';
import { knowDigest, manifestsDigest } from '../../desired/digest.ts';
import type { DesiredResource, DesiredState, DesiredTask } from '../../desired/state.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { ReadResult } from '../../manifest/read.ts';
import type { Source } from '../../manifest/source.ts';
import type { Compiled, CompileWork, Read } from './compile-work.ts';

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

/** A hash of all that the compiled project rests on. `files`: that of the manifest files. */
export function keyOf({ variant, rest }: Pick<CompileWork, 'variant' | 'rest'>, files: string): string {
  return createHash('sha256')
    .update(JSON.stringify([variant, rest, files]))
    .digest('hex');
}

/** Tasks that are one part: never is all of it one more time in memory. */
const PART = 500;

/** Plain data that `resultOf` makes the same of again, for a project that compiled. */
export function partsOf(
  { read: { sources }, diagnostics, kinds, wallets, manifests }: Compiled,
  read: Read,
  state: DesiredState,
): Iterable<unknown> {
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
  return withTasks(kept, state.tasks);
}

function* withTasks(kept: KeptProject, tasks: DesiredState['tasks']): Iterable<unknown> {
  yield kept;
  for (let at = 0; at < tasks.length; at += PART) yield tasks.slice(at, at + PART);
}

/** The result that the parts were made of. Where values stand is looked up when it is asked for. */
export function resultOf(
  [first, ...rest]: readonly unknown[],
  { files, compile }: Pick<CompileWork, 'files' | 'compile'>,
  read: Read,
): Compiled {
  const later = files.readLater();
  const { sources } = later;
  const tasks = (rest as readonly (readonly DesiredTask[])[]).flat();
  const { digest, diagnostics, kinds, wallets, state: data, documents } = first as KeptProject;
  const known = new Map<Source, ReadResult>();
  // Once for a file, however many manifests it holds.
  const readOnce: Read = (source) => {
    const result = known.get(source) ?? read(source);
    known.set(source, result);
    return result;
  };
  const again = once(() => compile(later, readOnce));
  // Files may have changed since they were hashed: then there may be no place any more.
  const resourcesAgain = once(() => byAddress(resourcesOf(again().state)));
  const removalsAgain = once(() => byAddress(again().state?.removals ?? []));
  const state: DesiredState = {
    ...data,
    tasks,
    wallets: new Map(wallets),
    removals: data.removals.map((removal) => ({
      ...removal,
      origin: () => removalsAgain().get(removal.address)?.origin(),
    })),
  };
  for (const [index, resource] of resourcesOf(state).entries()) {
    const [file, number] = documents[index] ?? [];
    const source = file === undefined ? undefined : sources[file];
    const origin = once((): DesiredResource['origin'] | undefined => {
      const manifest = source && readOnce(source).manifests[number ?? 0];
      if (manifest?.address === resource.address) return originIn(manifest);
      return resourcesAgain().get(resource.address)?.origin;
    });
    Object.assign(resource, { origin: (path: string) => origin()?.(path) });
  }
  knowDigest(state, digest);
  return {
    state,
    diagnostics,
    wallets: state.wallets,
    kinds: new Map(kinds),
    manifests: () => again().manifests(),
    read: later,
  };
}

function resourcesOf(state: DesiredState | undefined): readonly DesiredResource[] {
  return state === undefined ? [] : [...state.tasks, ...state.templates, ...state.labels];
}

function byAddress<T extends { readonly address: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.address, one]));
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
