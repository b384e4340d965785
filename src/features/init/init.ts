import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { connect, requireConnection } from '../../command/connection.ts';
import { unlessInterrupted } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { writeProjectFile } from '../../command/write-file.ts';
import { CommandFailure, usage } from '../../diagnostics/diagnostic.ts';
import type { LiveState } from '../../model/resource.ts';
import { ownedTasks } from '../../plan/identity/task-match.ts';
import { openAndRead } from '../../planning/planning.ts';
import { findUpward, PROJECT_FILE } from '../../project/find-project.ts';
import { readProjectFiles } from '../../project/project.ts';
import { repositoryPlace } from '../../project/project-root.ts';
import { readNamed } from '../../project/read-named.ts';
import { readSettings } from '../../project/settings.ts';
import { paragraph } from '../../render/layout.ts';
import { jsonText, resultDocument } from '../../render/result.ts';
import { visible } from '../../render/untrusted.ts';
import { readLive } from '../../service/view/read.ts';
import { type LiveRead, runExport } from '../export/export.ts';
import { schemaText } from '../schema.ts';
import { type Answers, answersFor, type InitOptions } from './answers.ts';
import { ACTION, type CiProject, ciFiles, ENVIRONMENT } from './ci-files.ts';
import { IGNORED, liveLimits, newFiles, SCHEMA_FILE, USUAL_LIMITS } from './files.ts';

/**
 * `tradeform init [DIR]`: a working project: project file, manifests (an example, or those of what is on the service), CI
 * workflow, editor settings. Existing files stay unchanged. In an existing project (without DIR also in a folder above) it adds
 * the files of `--ci`, or fails (exit 3). With a token and a base URL it reads the account: a name that tasks there carry is
 * refused (exit 4), unless `--from-live` writes their manifests. Sends GET requests only.
 */
export async function runInit(directory: string | undefined, options: InitOptions, io: Io): Promise<number> {
  const start = resolve(io.cwd, directory ?? '.');
  const standing = directory === undefined ? findUpward(start) : undefined;
  const folder = standing === undefined ? start : dirname(standing);
  if (existsSync(join(folder, PROJECT_FILE))) {
    const { ci } = options;
    if (ci !== undefined && ci !== 'none') return addCi(folder, ci, options, io);
    throw usage(
      `there is a project in ${visible(relative(io.cwd, folder) || '.')} already`,
      'Change its files, or run `tradeform export --out .` to update them to the live state. `tradeform init --ci github` adds only the workflow files; `tradeform init DIR` starts another project in DIR.',
    );
  }
  const answers = await answersFor(folder, options, io);
  const read = answers.live ? await readAll(answers, options, io) : undefined;
  const account =
    answers.connected && read === undefined
      ? await requireFreeName(answers, options, io)
      : read?.live.account;
  const { name, baseUrl, ci, live } = answers;
  const login = account?.login_username ?? undefined;
  const limits = read === undefined ? USUAL_LIMITS : liveLimits(read.live.tasks, name);
  const files = new Map(newFiles({ name, baseUrl, login, limits, examples: !live }));
  files.set(SCHEMA_FILE, schemaText('manifest'));
  const project = await putAll(folder, files);
  const jobs = await putCi(folder, { name, ci, environments: [ENVIRONMENT], action: options.action });
  const written = { made: [...project.made, ...jobs.made], kept: [...project.kept, ...jobs.kept] };
  const exported = read === undefined ? 0 : await exportInto(folder, read, options, io);
  show({ name, exitCode: exported, ...written }, options, io);
  if (options.output !== 'json' && options.quiet !== true) {
    if (answers.afterFolder) io.stderr(paragraph(nameOf(name), io.columns));
    if (jobs.made.length > 0 && jobs.inside !== '')
      io.stderr(paragraph(whereOf(ci, jobs.inside), io.columns));
    io.stderr(nextSteps(directory, answers, { login, action: options.action, kept: written.kept }));
  }
  return exported;
}

/** Adds the workflow files to an existing project. Existing files stay unchanged. */
async function addCi(folder: string, ci: 'github' | 'gitlab', options: InitOptions, io: Io): Promise<number> {
  const given = [
    ['--from-live', options.fromLive],
    ['--project-name', options.projectName],
  ].find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw usage(
      `${given[0]} is for a new project, but a project exists already`,
      'With only --ci, init adds the workflow files.',
    );
  const { environments } = readProjectFiles({ cwd: folder, env: io.env });
  // Any environment will do, because only the name is needed.
  const request = { cwd: folder, env: io.env, environment: environments[0] };
  const { settings, diagnostics, sources } = readSettings(request);
  const name = settings?.project;
  if (name === undefined) throw new CommandFailure(3, diagnostics, sources);
  const written = await putCi(folder, { name, ci, environments, action: options.action });
  show({ name, exitCode: 0, ...written }, options, io);
  if (options.output === 'json' || options.quiet === true || written.made.length === 0) return 0;
  const fits = environments.length === 0 || environments.includes(ENVIRONMENT);
  const theirs = `this project has ${environments.join(', ')}: write one of these into the files`;
  const parts = [
    `${READ_FILES} ${stepsOf(ci)}`,
    ...(ci === 'github' && options.action === undefined ? [REPLACE_ACTION] : []),
    ...(fits ? [] : [`They use the environment ${ENVIRONMENT}; ${theirs}.`]),
    ...(written.inside === '' ? [] : [whereOf(ci, written.inside)]),
  ];
  io.stderr(paragraph(visible(parts.join(' ')), io.columns));
  return 0;
}

const READ_FILES = 'Read the CI files: they name the secrets they need.';
const REPLACE_ACTION = `In the workflows, replace ${ACTION} with your copy.`;

function stepsOf(ci: CiProject['ci']): string {
  return `The steps of the set-up are in docs/how-to/${ci}.md.`;
}

function nameOf(name: string): string {
  return `The project name is ${name}: the name of its folder with a random suffix. No other repository may use this name on the account, because the remark of every task contains it. To use another name, change metadata.name before the first apply (afterwards a rename also needs previous_name).`;
}

/** The option by which the jobs find a project below the top of its repository. */
function whereOf(ci: CiProject['ci'], inside: string): string {
  const said = ci === 'github' ? `working-directory: ${inside}` : `--project ${inside}/${PROJECT_FILE}`;
  return `The project is not at the top of the repository, where CI files must be. The CI files are there, and find the project through ${visible(said)}.`;
}

function show(
  { name, exitCode, made, kept }: Written & { readonly name: string; readonly exitCode: number },
  { output }: InitOptions,
  io: Io,
): void {
  const shown = (file: string) => visible(relative(io.cwd, file));
  if (output === 'json') {
    const document = { project: name, made: made.map(shown), kept: kept.map(shown) };
    io.stdout(jsonText({ ...resultDocument('init', exitCode, []), ...document }));
    return;
  }
  io.stdout(made.map((file) => `${shown(file)}\n`).join(''));
  if (kept.length > 0) io.stderr(paragraph(`Not changed: ${kept.map(shown).join(', ')}.`, io.columns));
}

/** The live state, read before any file is written, so that a wrong token creates no files. */
async function readAll({ baseUrl }: Answers, options: InitOptions, io: Io): Promise<LiveRead> {
  const { connection } = await requireConnection(options, io, { baseUrl });
  const opened = await openAndRead(options, io, connection, { needed: new Set(), pin: undefined });
  await opened.session.close();
  return opened;
}

/**
 * Two repositories with one name each treat the other's tasks as their own and delete them. An unreadable account does not stop
 * init, because the first plan that finds such tasks is refused as well. Returns the account if it was read.
 */
async function requireFreeName(
  { name, baseUrl }: Answers,
  options: InitOptions,
  io: Io,
): Promise<LiveState['account'] | undefined> {
  const { connection } = await requireConnection(options, io, { baseUrl });
  const session = connect(connection, { masking: io.masking, stop: io.stop });
  try {
    const { api, clock, pages } = session;
    const read = await unlessInterrupted(
      readLive({ api, clock, limiter: pages, needed: new Set() }),
      io.stop.soft,
    );
    const { live } = read;
    if (live === undefined) {
      if (options.quiet !== true)
        io.stderr(paragraph(`It is unknown whether other tasks have the name ${name}.`, io.columns));
      return undefined;
    }
    const owned = ownedTasks({ project: name }, live).length;
    if (owned === 0) return live.account;
    const message = `${owned} ${owned === 1 ? 'task' : 'tasks'} on this account ${owned === 1 ? 'carries' : 'carry'} project ${name}: another repository uses the name`;
    const hint =
      'Choose another name with --project-name. If these tasks should belong to this repository, --from-live writes their manifests.';
    throw CommandFailure.of(4, 'project-name-taken', message, hint);
  } finally {
    await session.close();
  }
}

/** The output of the export goes to stderr, because stdout has the list of files or the only document. */
function exportInto(folder: string, read: LiveRead, options: InitOptions, io: Io): Promise<number> {
  const quiet: Io = Object.assign(Object.create(io) as Io, {
    stdout: (text: string) => (options.output === 'json' ? undefined : io.stdout(text)),
  });
  const { output: _output, project: _project, ...rest } = options;
  return runExport([], { ...rest, out: folder }, quiet, read);
}

interface Begun {
  /** The account that the project file pins. */
  readonly login: string | undefined;
  readonly action: string | undefined;
  readonly kept: readonly string[];
}

function nextSteps(
  directory: string | undefined,
  { baseUrl, ci, live }: Answers,
  { login, action, kept }: Begun,
): string {
  const hasJobs = ci !== 'none' && !kept.some((file) => /gitlab-ci|workflows/.test(file));
  const steps = [
    ...(directory === undefined
      ? []
      : [`cd ${/^[\w./-]+$/.test(directory) ? directory : `'${visible(directory)}'`}`]),
    ...(baseUrl === undefined ? ['Write the base URL into tradeform.yaml.'] : []),
    'tradeform validate',
    live
      ? 'tradeform plan         # says "adopted", and nothing else'
      : 'tradeform plan         # needs TRADEFORM_TOKEN or TRADEFORM_TOKEN_FILE',
    live
      ? 'tradeform apply        # writes the markers; no task starts or pauses'
      : login === undefined
        ? 'tradeform apply --first-apply   # once: no account is pinned yet'
        : 'tradeform apply        # shows the plan and asks',
    ...(hasJobs && ci === 'github' && action === undefined ? [REPLACE_ACTION] : []),
    ...(hasJobs ? [READ_FILES, stepsOf(ci)] : []),
  ];
  return `Next:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** Absolute paths. */
interface Written {
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

/** Writes files below a folder, by their paths with slashes. Existing files stay unchanged. */
async function putAll(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  const made: string[] = [];
  const kept: string[] = [];
  for (const [file, text] of files) {
    const done = await put(folder, file, text);
    (done ? made : kept).push(join(folder, ...file.split('/')));
  }
  return { made, kept };
}

/** GitHub and GitLab look for these files only at the top of the repository. */
async function putCi(
  folder: string,
  project: Omit<CiProject, 'folder'>,
): Promise<Written & { readonly inside: string }> {
  const { top, inside } = repositoryPlace(folder);
  return { ...(await putAll(top, ciFiles({ ...project, folder: inside }))), inside };
}

/** True if the file was created. An existing .gitignore gets the missing lines. */
async function put(folder: string, file: string, text: string): Promise<boolean> {
  const path = join(folder, ...file.split('/'));
  if (!existsSync(path)) {
    await writeProjectFile({ path, text, name: file });
    return true;
  }
  if (file !== '.gitignore') return false;
  const read = readNamed(path, file);
  if ('diagnostic' in read) throw new CommandFailure(3, [read.diagnostic]);
  const present = read.source.text;
  const lacking = IGNORED.filter((line) => !present.split(/\r?\n/).includes(line));
  if (lacking.length === 0) return false;
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  const more = `${present}${gap}${lacking.join('\n')}\n`;
  await writeProjectFile({ path, text: more, name: file });
  return true;
}
