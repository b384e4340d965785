import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { readProject } from '../../src/core/project/project.ts';
import { readSeed } from '../../src/sandbox/seed-file.ts';
import type { Result } from '../features/in-memory.ts';
import { openProject, type ProjectRun } from '../features/project-run.ts';
import { ROOT } from './program.ts';

export const EXAMPLES = join(ROOT, 'examples');

/** What the service holds before, in the form of `tradeform sandbox --seed`; beside the project file. */
export const ACCOUNT = 'account.yaml';
/** The variables of the process environment that an example refers to. */
const VARIABLES = '.env.example';

/** Every folder with a project file, relative to `examples`. */
export function exampleFolders(): readonly string[] {
  return readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === 'tradeform.yaml')
    .map(dirname)
    .sort();
}

interface ProjectFile {
  readonly spec: {
    readonly environments?: Readonly<
      Record<string, { readonly account?: { readonly login_username?: string } }>
    >;
  };
}

function projectFile(folder: string): ProjectFile {
  return parse(readFileSync(join(EXAMPLES, folder, 'tradeform.yaml'), 'utf8')) as ProjectFile;
}

/** The environments of an example; one that is undefined where it names none. */
export function environmentsOf(folder: string): readonly (string | undefined)[] {
  return Object.keys(projectFile(folder).spec.environments ?? { '': {} }).map((name) => name || undefined);
}

export function variablesOf(folder: string): Record<string, string> {
  const file = join(EXAMPLES, folder, VARIABLES);
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
}

/** The account of the sandbox: what `account.yaml` says of it, under the login that the environment pins. */
function accountOf(folder: string, environment: string | undefined): SeedAccount {
  const file = join(EXAMPLES, folder, ACCOUNT);
  const { seed, diagnostics } = existsSync(file)
    ? readSeed(readFileSync(file, 'utf8'), ACCOUNT)
    : { seed: { accounts: [{}] }, diagnostics: [] };
  if (seed === undefined) throw new Error(JSON.stringify(diagnostics));
  const login = projectFile(folder).spec.environments?.[environment ?? '']?.account?.login_username;
  return { ...seed.accounts[0], ...(login === undefined ? {} : { login_username: login }) };
}

export interface Example extends Omit<ProjectRun, 'edit' | 'applied'> {
  applied(): Promise<ApplyReport>;
  /** The desired state of the manifests as they stand. */
  desired(): Promise<DesiredState>;
  /** Exchanges a text that stands in a file once. */
  edit(file: string, text: string, by: string): void;
}

/** A copy of an example, and a sandbox with the account that it is for; the commands are those of one environment. */
export async function openExample(folder: string, environment: string | undefined): Promise<Example> {
  const env = {
    ...variablesOf(folder),
    ...(environment === undefined ? {} : { TRADEFORM_ENVIRONMENT: environment }),
  };
  const project = await openProject({
    folder: join(EXAMPLES, folder),
    seed: { accounts: [accountOf(folder, environment)] },
    env,
  });
  return {
    ...project,
    applied: async () => documentOf(await project.apply(undefined, APPLY)) as ApplyReport,
    async desired() {
      const { state, diagnostics } = await readProject({ cwd: project.path, environment, env });
      if (state === undefined) throw new Error(JSON.stringify(diagnostics));
      return state;
    },
    edit(file, text, by) {
      const parts = readFileSync(join(project.path, file), 'utf8').split(text);
      if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times: ${text}`);
      project.write(file, parts.join(by));
    },
  };
}

const APPLY = { output: 'json', autoApprove: true, firstApply: true, quiet: true };

function documentOf({ stdout, stderr, diagnostics }: Result): unknown {
  if (stdout === '') throw new Error(JSON.stringify(diagnostics) + stderr);
  return JSON.parse(stdout);
}
