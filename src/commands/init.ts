import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CommandFailure } from '../diagnostics/diagnostic.ts';
import { PROJECT_FILE, readProjectFiles } from '../files/project.ts';
import { readSettings } from '../files/settings.ts';
import { readAccount } from '../live/account.ts';
import { paragraph } from '../render/layout.ts';
import { jsonText, resultDocument } from '../render/result.ts';
import { visible } from '../render/untrusted.ts';
import { connect, namingHost, requireConnection } from './connection.ts';
import { runExport } from './export.ts';
import { type Answers, answersFor, type InitOptions } from './init/answers.ts';
import { ciFiles, ENVIRONMENT, IGNORED, newFiles, SCHEMA_FILE } from './init/files.ts';
import type { Io } from './io.ts';
import { schemaText } from './schema.ts';
import { usage } from './usage-error.ts';
import { writeProjectFile } from './write-file.ts';

/**
 * `tradeform init [DIR]`: a working project: project file, manifests (an example, or those of what is on the service), CI
 * workflow, editor settings. Files that are there stay as they are. Where there is a project already it adds the files of
 * `--ci`, or fails (exit 3). Sends nothing, with `--from-live` GET requests only.
 */
export async function runInit(directory: string | undefined, options: InitOptions, io: Io): Promise<number> {
  const folder = resolve(io.cwd, directory ?? '.');
  if (existsSync(join(folder, PROJECT_FILE))) {
    const { ci } = options;
    if (ci !== undefined && ci !== 'none') return addCi(folder, ci, options, io);
    throw usage(
      `there is a project in ${visible(directory ?? '.')} already`,
      'Change its files, or run `tradeform export --out .` to bring them up to what is live. `tradeform init --ci github` adds the workflow files alone.',
    );
  }
  const answers = await answersFor(folder, options, io);
  const login = answers.live ? await loginOf(answers, options, io) : undefined;
  const { name, baseUrl, ci, live } = answers;
  const files = new Map(newFiles({ name, baseUrl, login, ci, examples: !live }));
  files.set(SCHEMA_FILE, await schemaText('manifest'));
  const written = await putAll(folder, files);
  const exported = live ? await exportInto(folder, options, io) : 0;
  show(folder, { name, exitCode: exported, ...written }, options, io);
  if (options.output !== 'json' && options.quiet !== true)
    io.stderr(nextSteps(directory, answers, written.kept));
  return exported;
}

/** The workflow files of a project that is there; what stands there already stays as it is. */
async function addCi(folder: string, ci: 'github' | 'gitlab', options: InitOptions, io: Io): Promise<number> {
  const given = [
    ['--from-live', options.fromLive],
    ['--project-name', options.projectName],
  ].find(([, value]) => value !== undefined);
  if (given !== undefined)
    throw usage(
      `${given[0]} is for a new project, and there is one already`,
      'With --ci alone the workflow files are added.',
    );
  const { environments } = readProjectFiles({ cwd: folder, projectFile: PROJECT_FILE });
  // Which of several does not matter: it is about the name.
  const request = { cwd: folder, projectFile: PROJECT_FILE, environment: environments[0] };
  const { settings, diagnostics, sources } = readSettings(request);
  const name = settings?.project;
  if (name === undefined) throw new CommandFailure(3, diagnostics, sources);
  const written = await putAll(folder, new Map(ciFiles({ name, ci })));
  show(folder, { name, exitCode: 0, ...written }, options, io);
  if (options.output === 'json' || options.quiet === true || written.made.length === 0) return 0;
  const fits = environments.includes(ENVIRONMENT);
  const theirs =
    environments.length === 0
      ? 'this project has none: leave it out there'
      : `this project has ${environments.join(', ')}: write which one there`;
  const text = `Read the files: they say which secrets they need.${fits ? '' : ` They name the environment ${ENVIRONMENT}; ${theirs}.`}`;
  io.stderr(paragraph(visible(text), io.columns));
  return 0;
}

interface Written {
  readonly made: readonly string[];
  readonly kept: readonly string[];
}

async function putAll(folder: string, files: ReadonlyMap<string, string>): Promise<Written> {
  const made: string[] = [];
  const kept: string[] = [];
  for (const [file, text] of files) ((await put(folder, file, text)) ? made : kept).push(file);
  return { made, kept };
}

function show(
  folder: string,
  { name, exitCode, made, kept }: Written & { readonly name: string; readonly exitCode: number },
  { output }: InitOptions,
  io: Io,
): void {
  const shown = (file: string) => visible(relative(io.cwd, join(folder, file)));
  if (output === 'json') {
    const document = { project: name, made: made.map(shown), kept: kept.map(shown) };
    io.stdout(jsonText({ ...resultDocument('init', exitCode, []), ...document }));
    return;
  }
  io.stdout(made.map((file) => `${shown(file)}\n`).join(''));
  if (kept.length > 0) io.stderr(paragraph(`Kept as they are: ${kept.map(shown).join(', ')}.`, io.columns));
}

/** True where the file was made; a .gitignore that is there gets the lines that it lacks. */
async function put(folder: string, file: string, text: string): Promise<boolean> {
  const path = join(folder, ...file.split('/'));
  if (!existsSync(path)) {
    await writeProjectFile(path, text, file);
    return true;
  }
  if (file !== '.gitignore') return false;
  const present = readFileSync(path, 'utf8');
  const lacking = IGNORED.filter((line) => !present.split(/\r?\n/).includes(line));
  if (lacking.length === 0) return false;
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  await writeProjectFile(path, `${present}${gap}${lacking.join('\n')}\n`, file);
  return true;
}

/** Whose account it is, so that the project file pins it. Asked before any file is written: a wrong token makes none. */
async function loginOf({ baseUrl }: Answers, options: InitOptions, io: Io): Promise<string | undefined> {
  const { connection } = await requireConnection(options, io, baseUrl === undefined ? {} : { baseUrl });
  const session = connect(connection);
  try {
    const result = await readAccount(session.api);
    if (!result.ok) throw new CommandFailure(1, namingHost([result.diagnostic], connection.baseUrl));
    return result.account.login_username ?? undefined;
  } finally {
    await session.close();
  }
}

/** What is printed there goes to stderr: stdout has the files, or the one document. */
function exportInto(folder: string, options: InitOptions, io: Io): Promise<number> {
  const quiet: Io = Object.assign(Object.create(io) as Io, {
    stdout: (text: string) => (options.output === 'json' ? undefined : io.stdout(text)),
  });
  const { output: _output, project: _project, ...rest } = options;
  return runExport([], { ...rest, out: folder }, quiet);
}

function nextSteps(
  directory: string | undefined,
  { baseUrl, ci, live }: Answers,
  kept: readonly string[],
): string {
  const steps = [
    ...(directory === undefined
      ? []
      : [`cd ${/^[\w./-]+$/.test(directory) ? directory : `'${visible(directory)}'`}`]),
    ...(baseUrl === undefined ? ['Write the base URL into tradeform.yaml.'] : []),
    'tradeform validate',
    live
      ? 'tradeform apply        # writes the markers: starts nothing, pauses nothing'
      : 'tradeform plan         # needs TRADEFORM_TOKEN or TRADEFORM_TOKEN_FILE',
    ...(ci === 'none' || kept.some((file) => file.includes('gitlab-ci') || file.includes('workflows'))
      ? []
      : ['Read the CI files: they say which secrets they need.']),
  ];
  return `Next:\n${steps.map((step) => `  ${step}\n`).join('')}`;
}
