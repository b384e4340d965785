import { type Diagnostic, type Location, problem } from '../diagnostics/diagnostic.ts';
import { withDefaults } from '../manifest/defaults.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { type ReadResult, readManifests } from '../manifest/read.ts';
import { schemaAt } from '../manifest/schema.ts';
import type { Source } from '../manifest/source.ts';
import { formatPath, type Path, parsePath } from '../manifest/spans.ts';
import { formatAddress } from '../model/address.ts';
import { MOST } from '../model/bounds.ts';
import { byKey } from '../model/by-key.ts';
import { compareTexts } from '../model/compare-texts.ts';
import { given } from '../model/given.ts';
import type { JsonObject } from '../model/json.ts';
import type { LabelKind, TaskKind, TemplateKind } from '../model/kind.ts';
import { named } from '../model/named.ts';
import { partsIn } from '../model/parts.ts';
import { compose } from './compose/compose.ts';
import type { ComposeInput } from './compose/scope.ts';
import { areEnough, withinMost } from './enough.ts';
import { checkLints } from './lints/index.ts';
import type { ProjectSettings } from './project.ts';
import { checkRules } from './rules/index.ts';
import { entriesOf, shownName } from './rules/names.ts';
import type { DesiredLabel, DesiredRemoval, DesiredState, DesiredTask, DesiredTemplate } from './state.ts';

export interface CompileInput {
  readonly settings: ProjectSettings;
  /** The project file, for variables and patches. Without it there are none. */
  readonly project?: Manifest | undefined;
  /** The manifest files, in any order. */
  readonly sources: readonly Source[];
  /** False if a file could not be read. Rules that ask whether something is defined at all are then left out. */
  readonly allRead: boolean;
  /** Reads a variable of the process environment. Without it there are none. */
  readonly environmentVariable?: ComposeInput['environmentVariable'];
  readonly credentials?: ComposeInput['credentials'];
  /** Reads a table of a task set. Without it no table can be read. */
  readonly table?: ComposeInput['table'];
  readonly compared?: ComposeInput['compared'];
  /**
   * For an earlier commit: reads the manifests of a file, shared with other commits. Nothing is linted then, and what has no error
   * is compiled beside what has one.
   */
  readonly past?: (source: Source) => ReadResult;
}

export interface CompileResult {
  /** Absent if there is an error, except in an earlier commit and where a lint finds one. */
  readonly state?: DesiredState;
  /** Errors and warnings, sorted by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  readonly manifests: () => readonly Manifest[];
  readonly kinds: ReadonlyMap<string, number>;
  /** Names of the wallet books and their addresses, as far as they are readable. */
  readonly wallets: DesiredState['wallets'];
}

/** All steps at once. */
export function inOne<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Manifest texts → desired state of one environment. Pure, and finds every problem of every file in one run. Between its steps the
 * caller can do something else.
 */
export function* compile(input: CompileInput): Generator<undefined, CompileResult> {
  const { settings, sources, allRead, project } = input;
  const ordered = [...sources].sort((a, b) => compareTexts(a.file, b.file));
  const read = yield* readFirst(ordered, input.past ?? readManifests);
  const everything = read.flatMap((result) => result.manifests);
  const documents = everything.filter(({ kindName }) => !isSettings(kindName));
  const whole = allRead && read.length === ordered.length && read.every((result) => result.whole);
  const composed = compose({
    whole,
    documents,
    project,
    environment: settings.environment,
    environmentVariable: input.environmentVariable ?? (() => undefined),
    credentials: input.credentials ?? [],
    compared: input.compared,
    table: input.table ?? ((file, location) => ({ diagnostic: unreadable(file, location) })),
  });
  yield;
  const { manifests, wallets } = composed;
  const kinds = new Map<string, number>();
  for (const { kindName } of manifests) kinds.set(kindName, (kinds.get(kindName) ?? 0) + 1);
  const listed = { manifests: () => manifests, kinds };
  const checked = { project: settings.project, manifests, whole };
  const found = [
    ...read.flatMap((result) => result.diagnostics),
    ...everything.filter(({ kindName }) => isSettings(kindName)).map(misplaced),
    ...composed.diagnostics,
    ...(areEnough(composed.diagnostics) ? [] : checkRules(checked)),
  ];
  const diagnostics = mergedDiagnostics(found);
  const wrong = new Set(found.flatMap(({ severity, address }) => (severity === 'error' ? [address] : [])));
  if (input.past === undefined && (!allRead || wrong.size > 0)) {
    return { diagnostics: withinMost(diagnostics), wallets, ...listed };
  }
  const sound = manifests.filter(
    ({ name, address }) => name !== undefined && !(address && wrong.has(address)),
  );
  yield;
  // Warnings are left out while there are errors, which would be lost among them.
  const all = project === undefined ? documents : [...documents, project];
  const unused = () => composed.used.unused(all);
  const lints =
    input.past === undefined
      ? mergedDiagnostics(checkLints({ ...checked, documents: all, unused: unused() }))
      : [];
  yield;
  return {
    state: build(settings, sound, wallets),
    diagnostics: withinMost([...diagnostics, ...lints]),
    wallets,
    ...listed,
  };
}

export const FILES_A_STEP = 50;

/** Reads files until there are more problems than are reported. Reading on would only find more. */
function* readFirst(
  sources: readonly Source[],
  read: (source: Source) => ReadResult,
): Generator<undefined, readonly ReadResult[]> {
  const results: ReadResult[] = [];
  let problems = 0;
  for (const source of sources) {
    if (results.length % FILES_A_STEP === 0) yield;
    const result = read(source);
    results.push(result);
    problems += result.diagnostics.length;
    if (problems > MOST.diagnostics) break;
  }
  return results;
}

function unreadable(file: string, location: Location): Diagnostic {
  return problem('file-unreadable', `the table ${file} cannot be read here`, undefined, { location });
}

/** Kinds with their own files. */
const FILES = {
  Project: { file: 'the project file', hint: 'a project has one tradeform.yaml' },
  Fleet: {
    file: 'the fleet file',
    hint: 'a fleet.yaml is not a manifest: move it elsewhere, or change spec.manifests',
  },
  Notifications: {
    file: 'a file of the operator, outside of the repository',
    hint: 'a notifications.yaml is not a manifest: move it elsewhere',
  },
} as const;

function isSettings(kindName: string): boolean {
  return Object.hasOwn(FILES, kindName);
}

function misplaced(manifest: Manifest): Diagnostic {
  const { file, hint } = FILES[manifest.kindName as keyof typeof FILES];
  const message = `a ${manifest.kindName} is only allowed in ${file}`;
  return manifest.diagnostic(['kind'], { code: 'unknown-kind', message, hint });
}

function build(
  settings: ProjectSettings,
  manifests: readonly Manifest[],
  wallets: ReadonlyMap<string, string>,
): DesiredState {
  const tasks: DesiredTask[] = [];
  const templates: DesiredTemplate[] = [];
  const labels: DesiredLabel[] = [];
  const removals: DesiredRemoval[] = [];
  for (const manifest of manifests) {
    const { kind } = manifest;
    if (kind?.family === 'task') tasks.push(buildTask(manifest, kind));
    if (kind?.family === 'template') templates.push(buildTemplate(manifest, kind));
    if (kind?.family === 'label') labels.push(buildLabel(manifest, kind));
    if (manifest.kindName === 'Removal') removals.push(...buildRemovals(manifest));
  }
  const { project, previousProject, environment, pruneTasks, stoppedTasks, settle } = settings;
  return {
    project,
    ...given({ previousProject }),
    environment,
    tasks: tasks.sort(byAddress),
    templates: templates.sort(byAddress),
    labels: labels.sort(byAddress),
    removals: removals.sort(byAddress),
    pruneTasks,
    stoppedTasks,
    settle,
    wallets,
  };
}

function byAddress(a: { readonly address: string }, b: { readonly address: string }): number {
  return compareTexts(a.address, b.address);
}

/** The maximum of addresses in a hint. */
const MOST_NAMED = 3;

/**
 * One diagnostic for a problem that many manifests have in one place: for example a wrong value of a preset, which is wrong in
 * every task that extends the preset.
 */
function mergedDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const groups = byKey(diagnostics, ({ severity, code, message, location, address }) =>
    JSON.stringify([severity, code, message, location ?? address ?? null]),
  );
  return [...groups.values()].map(one);
}

function one([first, ...more]: readonly [Diagnostic, ...Diagnostic[]]): Diagnostic {
  if (more.length === 0) return first;
  const addresses = [...new Set([first, ...more].flatMap(({ address }) => address ?? []))].sort();
  if (addresses.length < 2) return first;
  const { address, hint, ...rest } = first;
  const reach = `this affects ${named(addresses, MOST_NAMED)}`;
  return { ...rest, hint: hint === undefined ? reach : `${hint}${/[.?]$/.test(hint) ? ' ' : '; '}${reach}` };
}

/** Fields of the desired state that are under `metadata` in a manifest. */
const IN_METADATA: ReadonlySet<string> = new Set(['id', 'previous_name']);

/** The task of an error-free manifest, in the service's own form. */
function buildTask(manifest: Manifest, kind: TaskKind): DesiredTask {
  const rearm = manifest.text('spec', 'rearm');
  const state = manifest.text('spec', 'state');
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    state: state === 'active' || state === 'paused' ? state : 'manual',
    ...given({ rearm }),
    note: manifest.text('spec', 'remark') ?? '',
    label: manifest.text('spec', 'label') ?? null,
    ...partsIn(manifest.object('spec') ?? {}, kind.collection),
    config: config(manifest),
    ignoreChanges: (manifest.list('spec', 'lifecycle', 'ignore_changes') ?? []).map(String),
    adopt: manifest.text('spec', 'lifecycle', 'adopt') === 'never' ? 'never' : 'auto',
  };
}

function buildTemplate(manifest: Manifest, kind: TemplateKind): DesiredTemplate {
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    shownName: shownName(manifest) ?? '',
    config: config(manifest),
  };
}

/** `sort_order` is 0 if the manifest has none. */
function buildLabel(manifest: Manifest, kind: LabelKind): DesiredLabel {
  const order = manifest.get('spec', 'sort_order');
  return {
    ...common(manifest, kind.collection),
    collection: kind.collection,
    shownName: shownName(manifest) ?? '',
    sort_order: typeof order === 'number' ? order : 0,
  };
}

function buildRemovals(manifest: Manifest): readonly DesiredRemoval[] {
  return entriesOf(manifest).flatMap(({ path, kind, name }) => {
    if (kind === undefined) return [];
    const { collection } = kind;
    const origin = () => manifest.location(path);
    return [
      { address: formatAddress(collection, name), collection, name, manifest: manifest.name ?? '', origin },
    ];
  });
}

function common(manifest: Manifest, collection: Parameters<typeof formatAddress>[0]) {
  const name = manifest.name ?? '';
  const id = manifest.text('metadata', 'id')?.toLowerCase();
  const secrets = manifest.secrets.map((path) => formatPath(path.slice(1))).sort();
  return {
    address: formatAddress(collection, name),
    name,
    ...given({ id, previousName: manifest.text('metadata', 'previous_name') }),
    origin: (path: string) => manifest.location(originPath(path)),
    ...(manifest.places.ofRow === true ? { row: () => manifest.location(['metadata', 'name']) } : {}),
    ...(secrets.length === 0
      ? {}
      : { secrets, written: (path: string) => manifest.sourceText(originPath(path)) }),
  };
}

function config(manifest: Manifest): JsonObject {
  return withDefaults(manifest.object('spec', 'config') ?? {}, schemaAt(manifest.schema, ['spec', 'config']));
}

/** The place of a field of the desired state in its manifest. */
function originPath(path: string): Path {
  const segments = parsePath(path);
  const [first] = segments;
  return [typeof first === 'string' && IN_METADATA.has(first) ? 'metadata' : 'spec', ...segments];
}
