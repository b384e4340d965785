import { join, resolve } from 'node:path';
import { stopped } from '../../core/command/interruption.ts';
import type { Io } from '../../core/command/io.ts';
import { kindsMeant } from '../../core/command/meant.ts';
import { chosenEnvironment } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { showDiagnostics } from '../../core/command/show-diagnostics.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import {
  CommandFailure,
  type Diagnostic,
  note,
  problemIn,
  usage,
  warning,
} from '../../core/diagnostics/diagnostic.ts';
import type { FileTree } from '../../core/manifest/tree.ts';
import { given } from '../../core/model/given.ts';
import { API_VERSION, KINDS, TASK_KINDS } from '../../core/model/kind.ts';
import { count, named } from '../../core/model/named.ts';
import type { LiveState } from '../../core/model/resource.ts';
import { type LiveRead, readOnce } from '../../core/planning/live-reader.ts';
import { findOrigin, secretsByVersion } from '../../core/planning/origin.ts';
import { diskTree } from '../../core/project/read-file.ts';
import { removeLeftovers } from '../../core/project/replace-file.ts';
import { paragraph } from '../../core/render/layout.ts';
import { manifestsYaml } from '../../core/render/manifest-yaml.ts';
import { visible } from '../../core/render/untrusted.ts';
import { quoted } from '../../core/render/value-text.ts';
import { type ExportResult, makeExport, plannedChanges } from './make.ts';
import { EMPTY_TREE, overlaid } from './overlay.ts';
import { type ExportPlace, fileOf, findPlace, newPlace, type PlaceOptions, yamlOf } from './place.ts';
import { runningStake, type Selection } from './subjects.ts';

export interface ExportOptions extends PlaceOptions {
  readonly kind?: readonly string[];
  /** `owned`, `unmanaged`, `foreign`, `damaged`. */
  readonly only?: readonly Selection['owners'][number][];
  readonly running?: boolean;
  readonly paused?: boolean;
  readonly label?: readonly string[];
  readonly presets?: boolean;
  readonly grouped?: boolean;
}

/** The project that `init` begins in `--out`. `init` shows its project file. */
export interface BegunProject {
  readonly name: string;
  readonly read: LiveRead;
  projectText(prune?: 'never'): string;
  /** Whether the next plan adopts, and nothing else. */
  foretold(isAll: boolean): void;
}

/**
 * `tradeform export`: prints manifests of what is on the service, or with `--out` writes them into a project. It sends GET
 * requests only, and none for a project that `init` began. Exit 0, or 1 if something that was named could not be exported.
 * The result was tried before it is written.
 */
export async function runExport(
  names: readonly string[],
  options: ExportOptions,
  io: Io,
  begun?: BegunProject,
): Promise<number> {
  const selection = selectionOf(names, options);
  const place =
    begun === undefined
      ? await findPlace(options, io)
      : newPlace(resolve(io.cwd, options.out ?? '.'), begun.name);
  const settings = place.existing?.settings;
  const needs = { place: settings, pin: settings?.account };
  const { live, baseUrl, warnings } = begun?.read ?? (await readOnce(options, io, needs));
  const hidden = await formerSecrets(place, live, io);
  const attempt = async (projectText: string | undefined) => ({
    projectText,
    result: await makeExport({ ...inputOf(place, selection, options, io, live, projectText), hidden }),
  });
  const textWith = (prune?: 'never') =>
    begun === undefined ? newProject(place.name, { baseUrl, live, prune }) : begun.projectText(prune);
  let made = await attempt(place.existing === undefined ? textWith() : undefined);
  // A plan would remove tasks of this project without a manifest.
  const loses = made.result.foretold.others.some(({ reason }) => reason === 'not-in-manifests');
  if (made.projectText !== undefined && loses) made = await attempt(textWith('never'));
  const { result, projectText } = made;
  // The project file comes last: with a part of the manifests it would be a project whose plan deletes the other tasks.
  const whole =
    projectText === undefined ? result.files : new Map([...result.files, [place.projectFile, projectText]]);
  const files = begun !== undefined || result.files.size === 0 ? result.files : whole;
  if (options.out !== undefined) await writeFiles(place, begun === undefined ? files : whole, io.stop);
  const { others, marks, blocked } = result.foretold;
  begun?.foretold(others.length + marks.length + blocked.length + result.leftOut.length === 0);
  const said = [...warnings, ...exportDiagnostics(result, options)];
  const failed = result.leftOut.some((one) => result.chosen.byName(one));
  const exitCode = await presentAnswer(
    documentOf(place, result, files, options, failed ? 1 : 0, said),
    () =>
      options.out === undefined ? yamlOf(result.documents) : written(place, files, result.leftOut.length > 0),
    options,
    io,
  );
  if (options.output !== 'json') {
    showDiagnostics(said, io, place.existing?.sources);
    if (options.quiet !== true) io.stderr(summary(result, io.columns));
  }
  return exitCode;
}

/** By address, and by the id of each live task: what git took from the environment when it was written last, or may have taken. */
async function formerSecrets({ existing }: ExportPlace, live: LiveState, io: Io) {
  const { state: desired, settings } = existing ?? {};
  if (desired === undefined || settings === undefined) return new Map<string, readonly string[]>();
  const asked = {
    changes: plannedChanges(desired, live),
    live,
    number: undefined,
    base: undefined,
    renews: false,
  };
  const { origin } = await findOrigin(asked, { desired, settings }, io);
  const sought = await secretsByVersion(live.tasks, new Map(), { desired, settings }, io);
  return new Map<string, readonly string[]>([
    ...origin.verdicts.map(({ change, secrets }) => [change.address, secrets] as const),
    ...live.tasks.map((task) => [task.id, sought.of(task)] as const),
  ]);
}

function selectionOf(names: readonly string[], options: ExportOptions): Selection {
  const { kind = [], only = [], running, paused, label = [], out, grouped } = options;
  if (running === true && paused === true)
    throw usage('--running and --paused together match no task', 'Use one of them.');
  if (grouped === true && out === undefined)
    throw usage('--grouped needs --out, which writes files', 'Add --out DIR.');
  const kinds = kindsMeant(kind, KINDS);
  const status = running === true ? 'active' : paused === true ? 'paused' : undefined;
  return { names, kinds, owners: only, status, labels: label };
}

function inputOf(
  place: ExportPlace,
  selection: Selection,
  options: ExportOptions,
  io: Io,
  live: LiveState,
  projectText: string | undefined,
): Parameters<typeof makeExport>[0] {
  const mode = options.out === undefined ? 'print' : 'update';
  const previousProject = place.existing?.settings?.previousProject;
  const bare = new Map([[place.projectFile, projectText ?? newProject(place.name, { previousProject })]]);
  const disk = diskTree(place.projectDir);
  const request = { projectDir: place.projectDir, projectFile: place.projectFile, env: io.env };
  const environment = mode === 'print' ? undefined : chosenEnvironment(options.environment, io.env);
  return {
    ...{ live, project: place.name, previousProject, mode, existing: place.existing },
    tree: mode === 'print' || projectText !== undefined ? overlaid(EMPTY_TREE, bare) : disk,
    request: { ...request, environment },
    placement: { folder: mode === 'print' ? 'manifests' : place.folder, grouped: options.grouped === true },
    environments: place.environments,
    selection,
    presets: options.presets === true,
    mayWrite: (file) => place.out === '' || file.startsWith(`${place.out}/`),
  };
}

interface Beginning {
  readonly baseUrl?: string;
  readonly live?: LiveState;
  readonly prune?: 'never' | undefined;
  readonly previousProject?: string | undefined;
}

/** The project file of a new project. The account is pinned if it has a name. */
function newProject(name: string, { baseUrl, live, prune, previousProject }: Beginning): string {
  const user = live?.account.login_username ?? null;
  const spec = given({
    prune: prune && { tasks: prune },
    base_url: baseUrl,
    account: user === null ? undefined : { login_username: user },
  });
  const metadata = { name, ...given({ previous_name: previousProject }) };
  const manifest = { apiVersion: API_VERSION, kind: 'Project', metadata };
  return manifestsYaml([
    {
      manifest: Object.keys(spec).length === 0 ? manifest : { ...manifest, spec },
      ...(prune === undefined ? {} : { note: PRUNE }),
    },
  ]);
}

export const PRUNE =
  'prune.tasks: never keeps tasks that carry the marker of this project and have no manifest here.';

/**
 * Writes files below the project directory, in their order, each completely or not at all. Fails (exit 3) before the first write if a
 * path leads out of the directory, if a file exists that is no manifest of the project, or if one would become a manifest of a new
 * project. What an interrupted run wrote stays; what it left of a file goes.
 */
export async function writeFiles(
  place: ExportPlace,
  files: ReadonlyMap<string, string>,
  stop?: Io['stop'],
): Promise<void> {
  const { projectDir: top, existing, folder } = place;
  const tree = diskTree(top);
  const strangers = existing === undefined && folder !== '' ? strangersIn(folder, tree, files) : [];
  const refused = [
    ...strangers
      .slice(0, 1)
      .flatMap((file) => refusal(file, `${named(strangers, 5)} would become part of the project`)),
    ...[...files].flatMap((one) => problemOf(one, tree, place)),
  ];
  if (refused.length > 0) throw new CommandFailure(3, refused);
  const paths = [...files].map(([name, text]) => ({ path: join(top, ...name.split('/')), text, name, top }));
  await removeLeftovers(
    paths.map(({ path }) => path),
    top,
  );
  const release = stop?.hear?.();
  try {
    for (const [at, one] of paths.entries()) {
      if (stop?.soft.aborted === true)
        throw stopped(stop.soft, `; ${at} of ${paths.length} files are written: run the command again`);
      await writeProjectFile(one);
    }
  } finally {
    release?.();
  }
}

/** Manifests that are there and are not written: an interrupted import of other tasks, or in other files, may have left them. */
function strangersIn(folder: string, tree: FileTree, files: ReadonlyMap<string, string>): readonly string[] {
  if (tree.find(folder).type !== 'folder') return [];
  return tree.list(folder).flatMap(({ name, type }) => {
    const path = `${folder}/${name}`;
    if (type === 'folder') return strangersIn(path, tree, files);
    return /^[^.].*\.yaml$/.test(name) && !files.has(path) ? [path] : [];
  });
}

function refusal(file: string, message: string): readonly Diagnostic[] {
  const hint = 'An interrupted import may have left it. Remove or rename it, or use another folder.';
  return [problemIn(file, 'file-not-manifest', `${message}; no manifest is written`, hint)];
}

function problemOf([file, text]: readonly [string, string], tree: FileTree, { existing }: ExportPlace) {
  const refuse = (message: string) => refusal(file, `${file} ${message}`);
  const parts = file.split('/');
  for (let length = 1; length < parts.length; length += 1) {
    const folder = parts.slice(0, length).join('/');
    const standing = tree.find(folder);
    if (standing.type === 'outside') return refuse(`would be outside the project: ${folder} is a link`);
    if (standing.type === 'broken' && !standing.missing)
      return refuse(`cannot be reached: ${standing.problem}`);
    if (standing.type === 'file' || standing.type === 'other')
      return refuse(`cannot be created: ${folder} is not a folder`);
  }
  const standing = tree.find(file);
  if (standing.type === 'broken')
    return standing.missing ? [] : refuse(`cannot be reached: ${standing.problem}`);
  if (standing.type === 'outside') return refuse('is a link that leads outside the project');
  if (standing.type !== 'file') return refuse('is not a regular file');
  if (existing?.sources.has(file) === true) return [];
  const read = tree.read(file);
  const isSame = 'source' in read && read.source.text === text;
  return isSame ? [] : refuse('exists and is not a manifest of this project');
}

/** What the user must know before using the manifests: what they cannot express, and what the next plan would do. */
function exportDiagnostics(result: ExportResult, { out }: ExportOptions): readonly Diagnostic[] {
  const { leftOut, documents, foretold, passedOver } = result;
  return [
    ...passedOver.flatMap(({ lookalike, address, task }) => {
      const runs = task.is_active ? ` It trades ${runningStake(task)} SOL outside git.` : '';
      const message = `${address} (${task.id}) is not exported: its remark ${quoted(task.remark)} looks like a marker.${runs} \`tradeform export --out . ${task.id}\` exports it`;
      return lookalike === true ? [warning('export-left-out', message, undefined, { address })] : [];
    }),
    ...leftOut.map(({ address, id, text, partly }) => {
      const how = partly === true ? 'exported partly' : 'not exported';
      const message = `${address} (${id}) is ${how}: ${text.replace(/\.$/, '')}`;
      return warning('export-left-out', message, undefined, { address });
    }),
    ...documents.flatMap(({ address, altered }) => {
      const message = `${address}: ${altered.join(', ')} cannot be written as stored; see the comments in its manifest`;
      return altered.length === 0 ? [] : [note('export-altered', message, undefined, { address })];
    }),
    // Printed manifests are a part of an unknown project.
    ...(out === undefined ? [] : foretold.others).map(({ address, actions }) => {
      const message = `the next plan would ${actions.join(' and ')} ${address}`;
      return warning('export-differs', message, 'Review it with `tradeform plan` before you apply.', {
        address,
      });
    }),
    ...(out === undefined ? [] : foretold.blocked).map(({ address, text }) =>
      warning('export-differs', `${address} is blocked: ${text}`, undefined, { address }),
    ),
  ];
}

export function written(
  { existing }: ExportPlace,
  files: ReadonlyMap<string, string>,
  isPartial: boolean,
): string {
  if (files.size === 0 && isPartial)
    return 'Nothing was written: no file can be changed for what was left out.\n';
  if (files.size === 0) return 'Nothing to write: the manifests match the live state.\n';
  return [...files.keys()]
    .map((file) => `${existing?.sources.has(file) === true ? 'updated' : 'created'}  ${visible(file)}\n`)
    .join('');
}

export function summary(
  { documents, updated, leftOut, foretold, passedOver }: ExportResult,
  columns: number,
): string {
  const tasks = documents.filter(({ manifest }) =>
    TASK_KINDS.some((kind) => kind.manifestKind === manifest.kind),
  ).length;
  const more = documents.length - tasks;
  const others = passedOver.filter(({ lookalike }) => lookalike !== true).length;
  const beside = more === 0 ? '' : ` and ${count(more, 'other manifest')}`;
  const parts = [
    `${count(tasks, 'task')}${beside} exported`,
    ...(updated.length === 0 ? [] : [`${updated.length} updated`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
    ...(others === 0 ? [] : [`${count(others, 'task')} of other owners not selected`]),
  ];
  const next = [
    `adopt ${count(foretold.adopted.length, 'task')}`,
    ...(foretold.marks.length === 0 ? [] : [`bring ${count(foretold.marks.length, 'mark')} up to date`]),
    ...(foretold.others.length === 0 ? [] : [`change ${foretold.others.length} more`]),
  ];
  const ids = foretold.adopted.length === 0 ? '' : ' Remove `metadata.id` once they are adopted.';
  return paragraph(`${parts.join(', ')}. The next plan would ${next.join(', ')}.${ids}`, columns);
}

function documentOf(
  place: ExportPlace,
  result: ExportResult,
  files: ReadonlyMap<string, string>,
  { out, grouped }: ExportOptions,
  exitCode: number,
  said: readonly Diagnostic[],
) {
  const placement = { folder: place.folder, grouped: grouped === true };
  const { foretold } = result;
  const addresses = (changes: readonly { readonly address: string }[]) =>
    changes.map(({ address }) => address);
  return {
    ...{ command: 'export', exitCode, diagnostics: said },
    project: place.name,
    manifests: result.documents.map((one) => ({
      address: one.address,
      id: one.id,
      ...(out === undefined ? { manifest: one.manifest } : { file: fileOf(one, placement) }),
      notes: one.notes,
    })),
    files: out === undefined ? [] : [...files.keys()],
    updated: result.updated,
    left_out: result.leftOut,
    next_plan: {
      adopt: addresses(foretold.adopted),
      marks: addresses(foretold.marks),
      other: addresses(foretold.others),
      blocked: addresses(foretold.blocked),
      held: foretold.held,
    },
  };
}
