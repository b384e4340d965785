import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Io } from '../../core/command/io.ts';
import { refuseTogether } from '../../core/command/options.ts';
import { presentAnswer } from '../../core/command/output/present.ts';
import { packagedFile } from '../../core/command/packaged.ts';
import { writeProjectFile } from '../../core/command/unwritten.ts';
import { CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { addDecimals, compareDecimals, maxDecimal } from '../../core/model/decimal.ts';
import type { ResultDocument } from '../../core/model/generated/result.ts';
import { kindOf } from '../../core/model/kind.ts';
import { markerOf } from '../../core/model/marker.ts';
import { count } from '../../core/model/named.ts';
import type { LiveState, LiveTask } from '../../core/model/resource.ts';
import { ownedTasks } from '../../core/plan/identity/task-match.ts';
import { type Role, spotsOf } from '../../core/plan/stakes/amounts.ts';
import { readOnce } from '../../core/planning/live-reader.ts';
import { findUpward, PROJECT_FILE, repositoryPlace } from '../../core/project/find-project.ts';
import { readProjectFiles } from '../../core/project/project.ts';
import { readNamed } from '../../core/project/read-file.ts';
import { removeLeftovers } from '../../core/project/replace-file.ts';
import { readSettings } from '../../core/project/settings.ts';
import { paragraph } from '../../core/render/layout.ts';
import { visible } from '../../core/render/untrusted.ts';
import { type BegunProject, PRUNE, runExport } from '../export/export.ts';
import { schemaText } from '../schema.ts';
import { type Answers, answersFor, type InitOptions } from './answers.ts';
import { type CiProject, type CiSystem, ciFiles, ENVIRONMENT, PACKAGE, PACKED } from './ci-files.ts';

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
  // Before any file is written, so that a wrong token creates no files.
  const read = answers.live
    ? await readOnce(options, io, { place: { baseUrl: answers.baseUrl } })
    : undefined;
  if (read !== undefined) options.accept?.(read.live);
  const account =
    answers.connected && read === undefined
      ? await requireFreeName(answers, options, io)
      : read?.live.account;
  const { name, ci } = answers;
  const login = account?.login_username ?? undefined;
  const limits = read === undefined ? USUAL_LIMITS : liveLimits(read.live.tasks, name);
  // Paths have forward slashes. The examples are a label and a paused task.
  const files = new Map([
    ...(answers.live ? [] : Object.entries(EXAMPLES)),
    ['.gitignore', GITIGNORE],
    ['.vscode/settings.json', EDITOR],
    [SCHEMA, schemaText('manifest')],
  ]);
  const project = await putAll(folder, files);
  const jobs = await putCi(folder, { ci, environments: [ENVIRONMENT] });
  const path = join(folder, PROJECT_FILE);
  const written = { made: [path, ...project.made, ...jobs.made], kept: [...project.kept, ...jobs.kept] };
  const projectText = (prune?: 'never') => projectFile(answers, login, limits, prune);
  let onlyAdopts = true;
  const foretold = (isAll: boolean) => {
    onlyAdopts = isAll;
  };
  const exported = read && (await exportInto(folder, { name, read, projectText, foretold }, options, io));
  if (read === undefined) await put(folder, PROJECT_FILE, projectText());
  const exitCode = await show({ name, exported: exported ?? {}, ...written }, options, io);
  if (options.output !== 'json' && options.quiet !== true) {
    if (limits !== USUAL_LIMITS) io.stderr(paragraph(HEADROOM, io.columns));
    const named = `The project name is ${name}: the name of its folder with a random suffix. No other repository may use this name on the account, because the remark of every task contains it. For another one, change metadata.name before the first apply.`;
    if (answers.afterFolder) io.stderr(paragraph(named, io.columns));
    if (jobs.made.length > 0 && jobs.inside !== '') io.stderr(paragraph(whereOf(jobs.inside), io.columns));
    const hasJobs = ci !== 'none' && !written.kept.some((file) => /gitlab-ci|workflows/.test(file));
    const inLines = (text: string) =>
      paragraph(text, io.columns && io.columns - 2)
        .trimEnd()
        .split('\n');
    const jobSteps = hasJobs ? [...inLines(installOf(jobs)), ...stepsOf(ci)] : [];
    io.stderr(nextSteps(directory, answers, login, { jobSteps, onlyAdopts }));
  }
  return exitCode;
}

/** Adds the workflow files to an existing project. Existing files stay unchanged. */
async function addCi(
  folder: string,
  ci: Exclude<CiSystem, 'none'>,
  options: InitOptions,
  io: Io,
): Promise<number> {
  const fresh = ['fromLive', 'projectName', 'presets', 'grouped'] as const;
  const hint = 'Without it, init adds the workflow files.';
  refuseTogether('--ci in a project that is there', options, fresh, 'which is for a new project', hint);
  const { environments } = readProjectFiles({ cwd: folder, env: io.env });
  // Any environment will do, because only the name is needed.
  const request = { cwd: folder, env: io.env, environment: environments[0] };
  const { settings, diagnostics, sources } = readSettings(request);
  const name = settings?.project;
  if (name === undefined) throw new CommandFailure(3, diagnostics, sources);
  const written = await putCi(folder, { ci, environments });
  await show({ name, exported: {}, ...written }, options, io);
  if (options.output === 'json' || options.quiet === true || written.made.length === 0) return 0;
  const fits = environments.length === 0 || environments.includes(ENVIRONMENT);
  const theirs = `this project has ${environments.join(', ')}: write one of these into the files`;
  const parts = [
    installOf(written),
    ...stepsOf(ci),
    ...(fits ? [] : [`They use the environment ${ENVIRONMENT}; ${theirs}.`]),
    ...(written.inside === '' ? [] : [whereOf(written.inside)]),
  ];
  io.stderr(paragraph(visible(parts.join(' ')), io.columns));
  return 0;
}

/** CI installs from the lockfile: the version that runs is the one that was reviewed. */
function installOf({ installed }: WrittenCi): string {
  const install = `npm install --save-dev --ignore-scripts ./${PACKED}`;
  const copy = `Copy ${PACKED} to the top of the repository, run \`${install}\` there, and commit it`;
  return `${installed ? `Commit ${PACKED}` : copy} with ${PACKAGE} and package-lock.json: CI installs from them.`;
}

function stepsOf(ci: CiSystem): readonly string[] {
  const page = packagedFile(`docs/how-to/${ci}.md`);
  return ['Read the CI files: they name the secrets they need.', `The steps of the set-up are in ${page}.`];
}

/** The option by which the jobs find a project below the top of its repository. */
function whereOf(inside: string): string {
  const said = visible(`--project ${inside}/${PROJECT_FILE}`);
  return `The CI files are at the top of the repository, where they must be. They find the project through ${said}.`;
}

/** The answer takes up the document of the export, if that is known. */
async function show(
  { name, exported, made, kept }: Written & { readonly name: string; readonly exported: Exported },
  options: InitOptions,
  io: Io,
): Promise<number> {
  const names = (files: readonly string[]) => files.map((file) => visible(relative(io.cwd, file)));
  const { exit_code: exitCode = 0, ...more } = exported;
  await presentAnswer(
    { ...more, command: 'init', exitCode, project: name, made: names(made), kept: names(kept) },
    (shown) => shown.made.map((name) => `${name}\n`).join(''),
    options,
    io,
  );
  if (options.output !== 'json' && kept.length > 0)
    io.stderr(paragraph(`Not changed: ${names(kept).join(', ')}.`, io.columns));
  return exitCode;
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
  const reading = readOnce({ ...options, quiet: true }, io, { place: { baseUrl } });
  const read = await reading.catch((error: unknown) => {
    if (!(error instanceof CommandFailure) || error.exitCode !== 1) throw error;
    const unknown = `It is unknown whether other tasks have the name ${name}: ${error.message}`;
    if (options.quiet !== true) io.stderr(paragraph(visible(unknown), io.columns));
    return undefined;
  });
  if (read === undefined) return undefined;
  const owned = ownedTasks({ project: name }, read.live).length;
  if (owned === 0) return read.live.account;
  const message = `${count(owned, 'task')} of project ${name} on this account: another repository uses the name`;
  const hint =
    'Choose another name with --project-name. If these tasks should belong to this repository, --from-live writes their manifests.';
  throw CommandFailure.of(4, 'project-name-taken', message, hint);
}

type Exported = Partial<ResultDocument>;

/** Writes the manifests. As JSON, the document of the export becomes a part of the only one. */
async function exportInto(out: string, begun: BegunProject, options: InitOptions, io: Io): Promise<Exported> {
  const said: string[] = [];
  const isJson = options.output === 'json';
  const own = isJson
    ? Object.assign(Object.create(io) as Io, { stdout: (text: string) => said.push(text) })
    : io;
  const { project: _project, ...rest } = options;
  const code = await runExport([], { ...rest, out }, own, begun);
  return isJson ? JSON.parse(said.join('')) : { exit_code: code as 0 | 1 };
}

function nextSteps(
  directory: string | undefined,
  { baseUrl, live }: Answers,
  login: string | undefined,
  { jobSteps, onlyAdopts }: { readonly jobSteps: readonly string[]; readonly onlyAdopts: boolean },
): string {
  const path = directory && !/^[\w./-]+$/.test(directory) ? `'${visible(directory)}'` : directory;
  const steps = [
    ...(path === undefined ? [] : [`cd ${path}`]),
    ...(baseUrl === undefined ? ['Write the base URL into tradeform.yaml.'] : []),
    'tradeform validate',
    live
      ? `tradeform plan         # says "adopted", and ${onlyAdopts ? 'nothing else' : 'more: look at each'}`
      : 'tradeform plan         # needs TRADEFORM_TOKEN or TRADEFORM_TOKEN_FILE',
    live && onlyAdopts
      ? 'tradeform apply        # writes the markers; no task starts or pauses'
      : login === undefined
        ? 'tradeform apply --first-apply   # once: no account is pinned yet'
        : 'tradeform apply        # shows the plan and asks',
    ...jobSteps,
  ];
  return `Next:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** Absolute paths. */
interface Written {
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

interface WrittenCi extends Written {
  readonly inside: string;
  /** Already a dependency of the repository. */
  readonly installed: boolean;
}

/** Writes files below a folder, by their paths with slashes. Existing files stay unchanged. */
async function putAll(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  const made: string[] = [];
  const kept: string[] = [];
  await removeLeftovers(
    [...files.keys()].map((file) => join(folder, ...file.split('/'))),
    folder,
  );
  for (const [file, text] of files) {
    const done = await put(folder, file, text);
    (done ? made : kept).push(join(folder, ...file.split('/')));
  }
  return { made, kept };
}

/** GitHub and GitLab look for these files only at the top of the repository. */
async function putCi(folder: string, project: Omit<CiProject, 'folder'>): Promise<WrittenCi> {
  const { top, inside } = repositoryPlace(folder);
  const read = readNamed(join(top, PACKAGE), PACKAGE);
  const installed = 'source' in read && read.source.text.includes(`"file:${PACKED}"`);
  return { ...(await putAll(top, ciFiles({ ...project, folder: inside }))), inside, installed };
}

/** True if the file was created. An existing .gitignore gets the missing lines. */
async function put(folder: string, file: string, text: string): Promise<boolean> {
  const path = join(folder, ...file.split('/'));
  if (!existsSync(path)) {
    await writeProjectFile({ path, text, name: file, top: folder });
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
  await writeProjectFile({ path, text: more, name: file, top: folder });
  return true;
}

const SCHEMA = '.tradeform/manifest.schema.json';
const ADDRESS = 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG';

/** Lines that a `.gitignore` needs. Missing lines are added to an existing file. */
const IGNORED: readonly string[] = ['node_modules/', '*.plan', 'plan.json', '.env'];
const GITIGNORE = IGNORED.map((line) => `${line}\n`).join('');

const SCHEMAS = { [SCHEMA]: ['tradeform.yaml', 'manifests/**/*.yaml'] };
const EDITOR = `${JSON.stringify({ 'yaml.schemas': SCHEMAS }, null, 2)}\n`;

function projectFile(
  { name, baseUrl }: Answers,
  login: string | undefined,
  limits: readonly NewLimit[],
  prune?: 'never',
): string {
  const kept = prune === undefined ? '' : `  prune: { tasks: never } # ${PRUNE}\n`;
  const empty = baseUrl === undefined && login === undefined;
  // As in `tradeform fmt`: a comment after an empty mapping stays beside it.
  const comment = empty ? '    #   ' : '      # ';
  const url =
    baseUrl === undefined
      ? `${comment}base_url: https://HOST/v1               # or TRADEFORM_BASE_URL, or --base-url\n`
      : `      base_url: ${JSON.stringify(baseUrl)}\n`;
  const pin =
    login === undefined
      ? `${comment}account: { login_username: NAME }       # any other account’s token is refused\n`
      : `      account: { login_username: ${JSON.stringify(login)} } # any other account’s token is refused\n`;
  return `# A project of tradeform. \`tradeform explain Project.spec\` lists all fields.
apiVersion: tradeform/v1
kind: Project
metadata:
  name: ${name} # part of the remark of every task
spec:
${kept}  environments:
    ${ENVIRONMENT}:${empty ? ' {} # in place of {}, on lines of their own:' : ''}
${url}${pin}  # What a plan may do at most; some limits apply by default (see \`tradeform explain Project.spec.guardrails\`).
  guardrails:
${limits.map(({ guardrail, limit, comment }) => `    ${guardrail}: "${limit}" # ${comment}\n`).join('')}`;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'manifests/labels.yaml': `apiVersion: tradeform/v1
kind: Label
metadata:
  name: steady
spec:
  name: Steady # as the web application shows it
  sort_order: 10
`,
  'manifests/snipers/first.yaml': `apiVersion: tradeform/v1
kind: SniperTask
metadata:
  name: first # its address is sniper/first
spec:
  state: paused # active: it trades
  remark: An example, change me
  label: steady
  target_wallet: ${ADDRESS}
  config:
    buy_amount: "0.01" # SOL
    relay_mode: { tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }
    priority_mode: { tip_amount: "0.001", priority_fee: "0.001", slippage: "15" }
    selected_dexes: [pump-fun]
    dex_source: config
    auto_sell:
      enabled: false
      expiry_time: "0"
      tp_orders: []
      sl_orders: []
      follow_sell: false
      proportional_sell: false
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: "0" }
    timed_strategy: { enabled: false, orders: [] }
`,
};

type NewLimit = Readonly<Record<'guardrail' | 'limit' | 'comment', string>>;

const USUAL_LIMITS: readonly NewLimit[] = [
  { guardrail: 'max_buy_amount', limit: '1', comment: 'SOL' },
  { guardrail: 'max_slippage', limit: '30', comment: 'percent' },
];

const LIVE: readonly { readonly role: Role; readonly comment: string }[] = [
  { role: 'buy_amount', comment: 'SOL: twice the largest live buy' },
  { role: 'tip', comment: 'SOL: twice the highest live tip or bundle amount' },
  { role: 'priority_fee', comment: 'SOL: twice the highest live fee' },
  { role: 'slippage', comment: 'percent: twice the highest live value' },
];

const HEADROOM =
  'The guardrails in tradeform.yaml allow twice the highest live values. Lower them if that is too much.';

/**
 * Twice the highest amount of each role that counts in a task, running or paused, except in tasks of other projects: the first usual
 * raise passes. A role with 0 is left out. Without any amount, the usual limits.
 */
function liveLimits(tasks: readonly LiveTask[], project: string): readonly NewLimit[] {
  const spots = tasks
    .filter((task) => (markerOf(task)?.project ?? project) === project)
    .flatMap(({ collection, config }) => spotsOf(kindOf(collection).config, config))
    .filter(({ awake }) => awake);
  const limits = LIVE.map(({ role, comment }) => {
    const highest = maxDecimal(spots.flatMap((spot) => (spot.role === role ? [spot.value] : [])));
    const twice = addDecimals([highest, highest]);
    const isWhole = role === 'slippage' && compareDecimals(twice, '100') > 0;
    return { guardrail: `max_${role}`, limit: isWhole ? '100' : twice, comment };
  }).filter(({ limit }) => limit !== '0');
  return limits.length === 0 ? USUAL_LIMITS : limits;
}
