import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FleetReport } from '../../src/model/generated/fleet-report.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { runTradeform } from './child.ts';
import { ActionFailure } from './failure.ts';
import { type CommentSubject, commentSubject } from './header.ts';
import type { Inputs } from './inputs.ts';
import type { ActionRun } from './run.ts';

/** GitHub allows 65,536. The difference is for the header and the lines below. */
const MOST_BYTES = '64000';

/** The file of `--report json=…`: the command's own document or, after a failure, a result. */
type Document =
  | Pick<Plan, 'format' | 'project' | 'environment' | 'digest' | 'operations'>
  | Pick<ApplyReport, 'format' | 'project' | 'environment' | 'plan_digest' | 'summary'>
  | Pick<FleetReport, 'format' | 'command' | 'fleet' | 'digest' | 'stakes'>
  | { readonly format: 'tradeform.drift/1'; readonly project: string; readonly environment: string | null }
  | {
      readonly format: 'tradeform.result/1';
      /** The digest of a refused plan. */
      readonly digest?: string;
    };

export interface Finished {
  readonly code: number;
  /** Undefined if the command could not even write a report. */
  readonly document: Document | undefined;
  readonly markdown: string;
}

/** Whether the documents of shards are merged instead of running the command. */
export function isMerge({ shard, documents }: Inputs): boolean {
  return documents !== undefined && shard === undefined;
}

/**
 * Runs a command that talks to the service, or merges its documents of several jobs. The command itself writes annotations and the
 * step summary.
 */
export async function runReporting(
  run: ActionRun,
  command: string,
  args: readonly string[],
): Promise<Finished> {
  const folder = mkdtempSync(join(run.env.RUNNER_TEMP || tmpdir(), 'tradeform-'));
  const file = (name: string) => join(folder, name);
  try {
    const reports = ['--report', `json=${file('json')}`, '--report', `markdown=${file('md')}`];
    const { shard, documents = '', arguments: more } = run.inputs;
    const merging = isMerge(run.inputs);
    const given = merging ? [documents] : [...args, ...(shard === undefined ? [] : ['--shard', shard])];
    const line = [...given, ...reports, '--max-bytes', MOST_BYTES, ...more];
    const { code } = await runTradeform(run, merging ? 'merge' : command, line, { service: !merging });
    const json = read(file('json'));
    const document = json === undefined ? undefined : (JSON.parse(json) as Document);
    if (document?.format === 'tradeform.fleet/1') {
      if (document.command !== command)
        throw new ActionFailure(3, `${documents} has documents of ${document.command}, not of ${command}`);
      if (shard !== undefined) keep(json ?? '', resolve(run.cwd, documents), shard);
    }
    return {
      code,
      document,
      markdown: read(file('md')) ?? `tradeform ${command} ended with ${code} and wrote no report.\n`,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * `tradeform validate`, without the token of the service. The further arguments are passed only if `validate` was requested,
 * because otherwise they are meant for the command in whose place it runs.
 */
export async function validateInAction(run: ActionRun): Promise<number> {
  const { command, arguments: more } = run.inputs;
  const { code } = await runTradeform(run, 'validate', command === 'validate' ? more : [], {
    service: false,
  });
  return code;
}

function keep(json: string, folder: string, shard: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${shard.replace('/', '-of-')}.json`), json);
}

/** Outputs the shards of the fleet, for a matrix of jobs. No token is needed. */
export async function matrixInAction(run: ActionRun): Promise<number> {
  const line = ['--for', 'github', ...run.inputs.arguments];
  const { code, stdout } = await runTradeform(run, 'matrix', line, { service: false, keep: 'stdout' });
  if (code === 0) run.log.output('matrix', stdout.trim());
  run.log.output('exit-code', String(code));
  return code;
}

/** The subject of a document. If the document does not name it, the subject of the project file. */
export async function subjectFor(
  run: ActionRun,
  command: string,
  document?: Document,
): Promise<CommentSubject> {
  const of = run.inputs.fleet === undefined ? command : `fleet${command}`;
  if (document?.format === 'tradeform.fleet/1') return commentSubject(of, document.fleet, null);
  if (document !== undefined && document.format !== 'tradeform.result/1') {
    return commentSubject(command, document.project, document.environment);
  }
  const line = ['-o', 'json', '--no-github'];
  const { stdout } = await runTradeform(run, 'validate', line, { service: false, keep: 'all' });
  try {
    const told = JSON.parse(stdout) as { project?: string; environment?: string; fleet?: string };
    return commentSubject(of, told.fleet ?? told.project ?? null, told.environment ?? null);
  } catch {
    return commentSubject(of, null, null);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
