import { resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { chosenEnvironment } from '../../core/command/options.ts';
import { GUARDRAILS } from '../../core/desired/guardrails/settings.ts';
import type { DesiredState } from '../../core/desired/state.ts';
import { KIND_NAMES } from '../../core/manifest/schema.ts';
import { CODES } from '../../core/model/generated/codes.ts';
import { KINDS, TASK_KINDS } from '../../core/model/kind.ts';
import { askGit } from '../../core/project/git.ts';
import { refNames } from '../../core/project/git-commands.ts';
import { readProject, readProjectFiles } from '../../core/project/project.ts';
import { FORMATS, PLACE_NAMES } from '../../core/render/format.ts';
import type { NamedPlace } from './live.ts';

interface Typed {
  readonly named: NamedPlace;
  readonly typed: string;
  readonly io: Io;
}

/** The possible values of each kind of word. Code that needs more than the manifests is loaded on demand. */
const VALUES = {
  address: (asked: Typed) => addressesOf(asked),
  /** Addresses of the project’s tasks on the service: all, running ones, stopped ones. */
  live: (asked: Typed) => liveAddressesOf('all', asked),
  running: (asked: Typed) => liveAddressesOf('running', asked),
  paused: (asked: Typed) => liveAddressesOf('paused', asked),
  label: labelsOf,
  environment: environmentsOf,
  /** A kind, or a field below one. */
  field: fieldNames,
  /** Names of other projects, from the markers on the service. */
  'foreign-project': async ({ named, io }: Typed) => (await liveNames(named, io))?.projects ?? [],
  schema: async () => (await import('../schema.ts')).SCHEMA_NAMES,
  code: () => Object.keys(CODES),
  collection: () => KINDS.map(({ collection }) => collection),
  'task-kind': () => TASK_KINDS.map(({ collection }) => collection),
  'drift-class': async () => (await import('../../core/documents/drift-classes.ts')).DRIFT_CLASSES,
  guardrail: () => GUARDRAILS.map((name) => `${name}=`),
  choice: async () => (await import('../../sandbox/choices.ts')).CHOICE_NAMES.map((name) => `${name}=`),
  place: () => PLACE_NAMES,
  report: () => FORMATS.map((format) => `${format}=`),
  revision: revisionNames,
} satisfies Record<string, (asked: Typed) => readonly string[] | Promise<readonly string[]>>;

export type ValueKind = keyof typeof VALUES;

/** `given` are the options before the word, by their long names. `typed` is the beginning of the word. */
export async function valuesOf(
  kind: ValueKind,
  given: ReadonlyMap<string, string>,
  typed: string,
  io: Io,
): Promise<readonly string[]> {
  const named = {
    project: given.get('--project'),
    environment: given.get('--environment'),
    baseUrl: given.get('--base-url'),
    tokenFile: given.get('--token-file'),
  };
  const cwd = { value: resolve(io.cwd, given.get('--chdir') ?? '.'), enumerable: true };
  return VALUES[kind]({ named, typed, io: Object.create(io, { cwd }) as Io });
}

/** Names on the service. Undefined if it does not answer. */
async function liveNames(named: NamedPlace, io: Io) {
  return (await import('./live.ts')).liveNames(named, io);
}

/** Addresses in the manifests. Empty if they do not compile, because completion shows no errors. */
async function addressesOf({ named, io }: Omit<Typed, 'typed'>, only?: 'tasks'): Promise<readonly string[]> {
  const { tasks = [], templates = [], labels = [] } = (await stateOf(named, io)) ?? {};
  return [...tasks, ...(only ? [] : [...templates, ...labels])].map(({ address }) => address).sort();
}

/** The project's tasks on the service, or those of the manifests if the service does not answer. */
async function liveAddressesOf(
  which: 'running' | 'paused' | 'all',
  { named, io }: Typed,
): Promise<readonly string[]> {
  const live = await liveNames(named, io);
  if (live !== undefined && which !== 'all') return live[which];
  const wanted = await addressesOf({ named, io }, 'tasks');
  if (live === undefined) return wanted;
  return [...new Set([...live.running, ...live.paused, ...wanted])].sort();
}

async function labelsOf({ named, io }: Typed): Promise<readonly string[]> {
  const [live, state] = await Promise.all([liveNames(named, io), stateOf(named, io)]);
  const wanted = (state?.labels ?? []).flatMap(({ name, shownName }) => [name, shownName]);
  return [...new Set([...(live?.labels ?? []), ...wanted])].sort();
}

async function stateOf(named: NamedPlace, io: Io): Promise<DesiredState | undefined> {
  const { project, environment } = named;
  const { state } = await readProject({
    cwd: io.cwd,
    projectFile: project,
    // For most names any environment will do, and the user may name one later on the line.
    environment: chosenEnvironment(environment, io.env) ?? environmentsOf({ named, io })[0],
    env: io.env,
  });
  return state;
}

function environmentsOf({ named, io }: Pick<Typed, 'named' | 'io'>): readonly string[] {
  return readProjectFiles({ cwd: io.cwd, projectFile: named.project, env: io.env }).environments;
}

/** The words that `explain` takes: kinds, and after a dot their fields. */
async function fieldNames({ typed }: Typed): Promise<readonly string[]> {
  const dot = typed.lastIndexOf('.');
  if (dot < 0) return [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
  const { fieldsAt } = await import('../explain/field.ts');
  return fieldsAt(typed.slice(0, dot)).map((name) => `${typed.slice(0, dot)}.${name}`);
}

/** Branches and tags. */
function revisionNames({ io }: Typed): readonly string[] {
  const names = askGit(refNames, io.cwd, io.env);
  return names ? ['HEAD', ...names.split('\n')] : [];
}
