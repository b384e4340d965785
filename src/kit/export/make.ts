import { labelsMeant } from '../../core/command/meant.ts';
import { checkRules } from '../../core/desired/rules/index.ts';
import type { DesiredState } from '../../core/desired/state.ts';
import { CommandFailure, type Diagnostic, problem } from '../../core/diagnostics/diagnostic.ts';
import { readManifests } from '../../core/manifest/read.ts';
import { checkShape } from '../../core/manifest/shape.ts';
import { Source } from '../../core/manifest/source.ts';
import type { FileTree } from '../../core/manifest/tree.ts';
import { byKey } from '../../core/model/by-key.ts';
import { compareTexts } from '../../core/model/compare-texts.ts';
import type { Change } from '../../core/model/generated/plan.ts';
import { given } from '../../core/model/given.ts';
import { ownMarkerOf, type ProjectNames } from '../../core/model/marker.ts';
import type { LiveState, LiveTask } from '../../core/model/resource.ts';
import { NO_GUARDRAILS } from '../../core/plan/guardrails/compiled.ts';
import { NO_OPTIONS } from '../../core/plan/input.ts';
import { findDifferences } from '../../core/plan/plan.ts';
import { type CompileRequest, compileProject, type Project } from '../../core/project/project.ts';
import { overlaid } from './overlay.ts';
import { fileOf, type Placement, withNew } from './place.ts';
import { labelManifest, type ManifestContext, taskManifest, templateManifest } from './pure/manifests.ts';
import { type Exported, Names } from './pure/names.ts';
import { withPresets, withWallets } from './pure/presets.ts';
import {
  type Chosen,
  choose,
  type NamedLiveTask,
  type NamedThing,
  namedThings,
  type Selection,
  subjectsOf,
} from './subjects.ts';
import { type LeftOut, updatedFiles } from './update.ts';

export interface ExportInput {
  readonly live: LiveState;
  readonly project: string;
  /** The former name in the project file, if any. */
  readonly previousProject?: string | undefined;
  /** `print`: ignores existing manifests. `update`: keeps them, and changes them to match the live state. */
  readonly mode: 'print' | 'update';
  /** The present project. Undefined for a new one. */
  readonly existing: Project | undefined;
  /** The files on which the result is tried before anything is written. The `files` of the result are added to them. */
  readonly tree: FileTree;
  readonly request: CompileRequest;
  readonly placement: Placement;
  /** Paths of live values that may have come from the environment when they were written, by address. */
  readonly hidden?: ReadonlyMap<string, readonly string[]>;
  /** Of the present project: all of them use its manifests. */
  readonly environments: readonly string[];
  readonly selection: Selection;
  readonly presets: boolean;
  /** False for a file that must not be changed. */
  readonly mayWrite: (file: string) => boolean;
}

export interface ExportResult {
  readonly documents: readonly Exported[];
  /** The texts of all new and changed files, by their paths below the project directory. */
  readonly files: ReadonlyMap<string, string>;
  /** What was requested and could not be written. */
  readonly leftOut: readonly LeftOut[];
  readonly chosen: Chosen;
  readonly foretold: Foretold;
  readonly updated: readonly string[];
  /** Tasks of other projects and with damaged markers that nobody requested. */
  readonly passedOver: readonly NamedLiveTask[];
}

type Described = Pick<DesiredState, 'tasks' | 'labels' | 'templates' | 'removals'>;
const EMPTY: Described = { tasks: [], labels: [], templates: [], removals: [] };
/** Each round leaves out at least one more resource. */
const MOST_ROUNDS = 8;

/**
 * Manifests of the live state, tried before they are returned: they compile, and the effect of the next plan is known. A manifest
 * that fails the trial is left out and named.
 */
export async function makeExport(input: ExportInput): Promise<ExportResult> {
  const desired = input.existing?.state ?? EMPTY;
  const { project, previousProject } = input;
  const subjects = subjectsOf(input.live, { project, previousProject }, desired);
  const things = namedThings(input.live, desired);
  const inGit = things.filter(({ collection }) => collection === 'label');
  const labels = await labelsMeant(input.selection.labels, input.live, () =>
    inGit.map(({ name, item }) => ({ name, shownName: item.name })),
  );
  const chosen = choose({ ...input.selection, labels: labels.map(({ id }) => id) }, subjects, things);
  const context: ExportContext = { ...input, subjects, things, chosen };
  const excluded = new Map([
    ...neverShown(context),
    ...(input.mode === 'print' ? [] : unwritable(desired, context)),
  ]);
  let attempt = await attempted(context, excluded);
  // A preset may be what fails.
  if ('diagnostics' in attempt && input.presets)
    attempt = await attempted({ ...context, presets: false }, attempt.excluded);
  if ('diagnostics' in attempt) throw new CommandFailure(3, attempt.diagnostics);
  const others = subjects.filter(({ owner }) => owner === 'foreign' || owner === 'damaged');
  return { ...attempt, chosen, passedOver: others.filter((subject) => !chosen.task(subject)) };
}

type Excluded = ReadonlyMap<string, string>;
type Attempt =
  | (Draft & Pick<ExportResult, 'foretold'>)
  | { readonly diagnostics: readonly Diagnostic[]; readonly excluded: Excluded };

/** Leaves out what fails the trial, until the rest passes or nothing more can be left out. */
async function attempted(context: ExportContext, from: Excluded): Promise<Attempt> {
  let excluded = from;
  for (let round = 1; ; round += 1) {
    const made = draft(context, excluded);
    const tried = await tryOut(context, made);
    if (tried.faults === undefined) return { ...made, foretold: tried.foretold };
    const more = new Map([...excluded, ...tried.faults]);
    if (more.size === excluded.size || round === MOST_ROUNDS)
      return { diagnostics: tried.diagnostics, excluded: more };
    excluded = more;
  }
}

/**
 * What a Removal will delete or release: a manifest of it would contradict the Removal. And what has no manifest, in a project whose
 * manifests several environments use.
 */
function unwritable({ removals }: Described, context: ExportContext): Map<string, string> {
  const { subjects, things, environments } = context;
  const all = `The ${environments.length} environments of the project share its manifests: a new manifest would create it in each. Export it into a project of its own, with --out DIR and --project-name NAME.`;
  const fresh = [...subjects, ...things].filter(({ desired }) => desired === undefined);
  const removed = new Set<string>(removals.map(({ address }) => address));
  const tasks = subjects.filter(({ address }) => removed.has(address));
  return new Map([
    ...(environments.length > 1 ? fresh : []).map(({ address }) => [address, all] as const),
    ...tasks.map(({ address }) => [address, 'A Removal removes its marker.'] as const),
    ...things.flatMap(({ address, leaves }) => (leaves ? [[address, 'A Removal deletes it.'] as const] : [])),
  ]);
}

/** A new or a printed manifest would show values that come, or came, from the environment. */
function neverShown({
  subjects,
  things,
  mode,
  hidden,
}: ExportContext): readonly (readonly [string, string])[] {
  const fresh = [...subjects, ...things].filter(({ desired }) => mode === 'print' || desired === undefined);
  return fresh.flatMap(({ address, desired }) => {
    const now = desired !== undefined && 'secrets' in desired ? (desired.secrets ?? []) : [];
    return [...now, ...(hidden?.get(address) ?? [])].length === 0 ? [] : [[address, NEVER_SHOWN] as const];
  });
}

const NEVER_SHOWN = 'It has values from the environment, or may have, which are never shown.';

interface ExportContext extends ExportInput {
  readonly subjects: readonly NamedLiveTask[];
  readonly things: readonly NamedThing[];
  readonly chosen: Chosen;
}

type Draft = Pick<ExportResult, 'documents' | 'files' | 'leftOut' | 'updated'>;

function draft(context: ExportContext, excluded: Excluded): Draft {
  const { subjects, things, chosen, mode, project, mayWrite, environments } = context;
  const existing = mode === 'print' ? undefined : context.existing;
  const tasks = subjects.filter((subject) => chosen.task(subject));
  const needed = new Set(tasks.flatMap(({ task }) => task.risk_label_id ?? []));
  const named = things.filter(
    (thing) => chosen.named(thing) || (thing.collection === 'label' && needed.has(thing.id)),
  );
  const stays = (subject: NamedLiveTask) => excluded.get(subject.address) ?? obstacleOf(subject, mode);
  const open = tasks.filter((subject) => stays(subject) === undefined);
  const fresh = <T extends { readonly desired?: object }>({ desired }: T) =>
    mode === 'print' || desired === undefined;
  const label = labelNames(things.filter(({ address }) => !excluded.has(address)));
  const made = documentsOf(
    { ...context, existing, label },
    open.filter(fresh).map((subject) => (mode === 'print' ? asInGit(subject) : subject)),
    named.filter((thing) => fresh(thing) && !excluded.has(thing.address)),
  );
  // What changes in the files that exist.
  const update =
    existing === undefined
      ? { files: new Map<string, string>(), leftOut: [], updated: [] }
      : updatedFiles({
          ...{ existing, project, mayWrite, label, hidden: context.hidden, shared: environments.length > 1 },
          tasks: open.filter((subject) => !fresh(subject)),
          named: named.filter((thing) => !fresh(thing) && !excluded.has(thing.address)),
          needsId: sharesMarker(context),
        });
  const textOf = (file: string) => update.files.get(file) ?? existing?.sources.get(file) ?? '';
  const added = withNew(made.documents, context.placement, textOf);
  return {
    documents: made.documents,
    files: new Map([...update.files, ...added]),
    leftOut: [
      ...tasks.flatMap((subject) => leftOutBy(stays(subject), subject.address, subject.task.id)),
      ...named.flatMap(({ address, id }) => leftOutBy(excluded.get(address), address, id)),
      ...made.leftOut,
      ...update.leftOut,
    ],
    updated: update.updated,
  };
}

function leftOutBy(text: string | undefined, address: string, id: string): readonly LeftOut[] {
  return text === undefined ? [] : [{ address, id, text }];
}

/** True for a task whose marker of the project another task carries as well. */
function sharesMarker(context: ExportContext): (task: LiveTask) => boolean {
  const carriers = byKey(context.live.tasks, (task) => markedAddress(task, context));
  return (task) => {
    const address = markedAddress(task, context);
    return address !== undefined && (carriers.get(address) ?? []).length > 1;
  };
}

function obstacleOf({ owner, obstacle }: NamedLiveTask, mode: ExportInput['mode']): string | undefined {
  if (mode === 'update') return obstacle;
  return owner === 'foreign' ? undefined : obstacle;
}

/** A printed manifest has the switch that git wants. */
function asInGit(subject: NamedLiveTask): NamedLiveTask {
  const { desired } = subject;
  if (desired === undefined) return subject;
  return {
    ...subject,
    state: desired.state,
    rearm: desired.rearm,
    withId: desired.id !== undefined || subject.withId,
    remarks: [],
  };
}

function namesTaken(existing: Project | undefined) {
  const documents = [...(existing?.sources.keys() ?? [])]
    .filter((file) => !file.endsWith('.csv') && !file.endsWith('.json'))
    .flatMap((file) => readManifests(new Source(file, existing?.sources.get(file) ?? '')).manifests);
  const named = (kind: string) =>
    documents.flatMap(({ kindName, name }) => (kindName === kind && name !== undefined ? [name] : []));
  return {
    presets: [...named('Preset'), ...named('SniperTemplate'), ...named('CopyTradeTemplate')],
    books: named('WalletBook'),
  };
}

type Trial =
  | { readonly faults?: undefined; readonly foretold: Foretold }
  /** Addresses that fail the trial, and why. */
  | { readonly faults: ReadonlyMap<string, string>; readonly diagnostics: readonly Diagnostic[] };

async function tryOut(context: ExportContext, attempt: Draft): Promise<Trial> {
  const { tree, request, live, existing } = context;
  const project = await compileProject(overlaid(tree, attempt.files), request);
  const created = new Set(attempt.documents.map(({ address }) => address));
  const touched = new Set([...created, ...attempt.updated]);
  if (project.state === undefined) {
    if (attempt.files.size === 0 && existing?.state === undefined) return { foretold: NOTHING };
    const errors = project.diagnostics.filter(({ severity }) => severity === 'error');
    const [document] = attempt.documents;
    if (document !== undefined && errors.every(({ code }) => code === 'no-manifests'))
      throw new CommandFailure(3, [notMatched(fileOf(document, context.placement))]);
    return { faults: faultsOf(project, touched, context.project), diagnostics: errors };
  }
  const { tasks, labels, templates } = project.state;
  const compiled = new Set<string>([...tasks, ...labels, ...templates].map(({ address }) => address));
  const unread = attempt.documents.find(({ id, address }) => id !== null && !compiled.has(address));
  if (unread !== undefined) throw new CommandFailure(3, [notMatched(fileOf(unread, context.placement))]);
  const foretold = foretell(project.state, live, context.hidden);
  const owners = new Map(context.subjects.map((subject) => [subject.address, subject.owner]));
  const blocked = foretold.blocked.filter(
    ({ address }) => created.has(address) && !['owned', 'foreign'].includes(owners.get(address) ?? 'owned'),
  );
  if (blocked.length === 0) return { foretold };
  return {
    faults: new Map(blocked.map(({ address, text }) => [address, reasonOf(attempt, address) ?? text])),
    diagnostics: [],
  };
}

/** Adopting a paused task writes its config again if it is a legacy snapshot, so there must be a config to write. */
function reasonOf({ documents }: Draft, address: string): string | undefined {
  const altered = documents.find((one) => one.address === address)?.altered ?? [];
  const fields = altered.filter((path) => path.startsWith('config.'));
  return fields.length === 0
    ? undefined
    : `Its ${fields.join(', ')} has a form that the service does not document and a manifest cannot express. Correct it in the web application.`;
}

/**
 * The problem of each manifest. Diagnostics are not enough, because a problem of a shared preset is reported once, without the
 * addresses.
 */
function faultsOf(
  { manifests: list, diagnostics }: Project,
  touched: ReadonlySet<string>,
  project: string,
): ReadonlyMap<string, string> {
  const manifests = list();
  const faults = new Map<string, string>();
  const found = (address: string | undefined, message: string) => {
    if (address !== undefined && touched.has(address)) faults.set(address, `${message}.`);
  };
  for (const manifest of manifests) {
    const [finding] = checkShape(manifest);
    if (finding !== undefined) found(manifest.address, finding.message);
  }
  const rules = checkRules({ project, manifests, whole: true });
  for (const { severity, address, message } of [...rules, ...diagnostics])
    if (severity === 'error') found(address, message);
  return faults;
}

const NOTHING: Foretold = { blocked: [], adopted: [], marks: [], others: [], held: 0 };

function notMatched(file: string): Diagnostic {
  return problem(
    'invalid-option',
    `no pattern of spec.manifests matches ${file}: the exported file would be ignored`,
    'Use another folder for --out, or add a pattern to spec.manifests.',
  );
}

function markedAddress(task: LiveTask, project: ProjectNames): string | undefined {
  const name = ownMarkerOf(task, project)?.name;
  return name === undefined ? undefined : `${task.collection}/${name}`;
}

interface Foretold {
  /** The marker is written, and the note if it had to be cut. Nothing is paused and no config changes. */
  readonly adopted: readonly Change[];
  readonly blocked: readonly { readonly address: string; readonly text: string }[];
  /** Only the mark or the project's name in the remark is updated, and legacy fields that any patch removes. */
  readonly marks: readonly Change[];
  /** Everything else that it would do. */
  readonly others: readonly Change[];
  readonly held: number;
}

export function plannedChanges(
  desired: DesiredState,
  live: LiveState,
  hidden?: ReadonlyMap<string, readonly string[]>,
): readonly Change[] {
  return findDifferences({
    desired,
    live,
    ...given({ furtherSecrets: hidden }),
    baseUrl: '',
    toolVersion: '',
    createdAt: new Date(live.readAt).toISOString(),
    source: { commit: null, dirty: false, manifestsDigest: '', number: undefined },
    options: { ...NO_OPTIONS, allowEmpty: true },
    guardrails: NO_GUARDRAILS,
    diagnostics: [],
  }).changes;
}

function foretell(
  desired: DesiredState,
  live: LiveState,
  hidden: ReadonlyMap<string, readonly string[]> | undefined,
): Foretold {
  const changes = plannedChanges(desired, live, hidden);
  const open = changes.filter((change) => change.operations.length > 0 && !adopts(change));
  return {
    adopted: changes.filter(adopts),
    blocked: changes.flatMap(({ address, blocked }) =>
      blocked === null ? [] : [{ address, text: blocked.text }],
    ),
    marks: open.filter(isMark),
    others: open.filter((change) => !isMark(change)),
    held: changes.filter(({ held }) => held).length,
  };
}

function adopts({ actions, fields, starts_trading: starts, stops_trading: stops }: Change): boolean {
  const changes = fields.filter(({ legacy, path }) => legacy !== true && path !== 'remark');
  return actions.includes('adopt') && changes.length === 0 && !starts && !stops;
}

function isMark({ fields, actions, starts_trading: starts, stops_trading: stops }: Change): boolean {
  const changes = fields.filter(({ legacy, path }) => legacy !== true && path !== 'project');
  const marks: readonly string[] = ['update', 'rename'];
  return changes.length === 0 && !starts && !stops && actions.every((action) => marks.includes(action));
}

type DocumentsContext = ManifestContext & Pick<ExportInput, 'existing' | 'presets'>;

/** The manifests of live resources in the order of printing: first those that others refer to. */
function documentsOf(
  context: DocumentsContext,
  subjects: readonly NamedLiveTask[],
  things: readonly NamedThing[],
) {
  const leftOut: LeftOut[] = [];
  const take = (made: Exported | string, { address, id }: { address: string; id: string }) => {
    if (typeof made !== 'string') return [made];
    leftOut.push({ address, id, text: made });
    return [];
  };
  const resources = things.flatMap((thing) => take(manifestOf(thing), thing));
  const tasks = subjects.flatMap((subject) =>
    take(taskManifest(subject, context), { address: subject.address, id: subject.task.id }),
  );
  const composed = composedTasks(context, things, tasks);
  const others = composed.filter(({ id }) => id === null);
  return {
    documents: [
      ...resources.filter(({ address }) => address.startsWith('label/')),
      ...others,
      ...resources.filter(({ address }) => !address.startsWith('label/')),
      ...composed.filter(({ id }) => id !== null).sort((a, b) => compareTexts(a.address, b.address)),
    ],
    leftOut,
  };
}

/** The names of labels for tasks: of existing manifests, and of manifests that are written together with the task. */
function labelNames(things: readonly NamedThing[]): (id: string) => string | undefined {
  const names = new Map(
    things
      .filter((thing) => thing.collection === 'label')
      .filter((thing) => thing.desired !== undefined || typeof manifestOf(thing) !== 'string')
      .map(({ id, name }) => [id, name]),
  );
  return (id) => names.get(id);
}

function manifestOf({ item, name }: NamedThing): Exported | string {
  return item.collection === 'label' ? labelManifest(item, name) : templateManifest(item, name);
}

/** Moves shared addresses into a wallet book and, if requested, shared config into presets. */
function composedTasks(
  { existing, presets }: DocumentsContext,
  things: readonly NamedThing[],
  tasks: readonly Exported[],
): readonly Exported[] {
  const taken = namesTaken(existing);
  const wallets = existing?.state?.wallets ?? new Map<string, string>();
  const walletNames = new Names(wallets.keys());
  const book = new Names(taken.books).take('wallets');
  const booked = withWallets(tasks, wallets, walletNames, book);
  if (!presets) return booked;
  const bases = things.filter(({ collection }) => collection !== 'label').map(({ name }) => name);
  const names = new Names([...taken.presets, ...bases]);
  const isBook = ({ id }: Exported) => id === null;
  return [
    ...booked.filter(isBook),
    ...withPresets(
      booked.filter((one) => !isBook(one)),
      names,
    ),
  ];
}
