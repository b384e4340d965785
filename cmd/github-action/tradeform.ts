import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetReport } from '../../src/model/generated/fleet-report.ts';
import type { Plan } from '../../src/model/generated/plan.ts';
import type { ApplyReport } from '../../src/model/generated/report.ts';
import { runTradeform } from './child.ts';
import { type CommentSubject, commentSubject } from './header.ts';
import type { ActionRun } from './run.ts';

/** GitHub allows 65,536. The difference is for the header and the lines below. */
const MOST_BYTES = '64000';

/** The file of `--report json=…`: the command's own document or, after a failure, a result. */
type Document =
  | Pick<Plan, 'format' | 'project' | 'environment' | 'digest' | 'operations'>
  | Pick<ApplyReport, 'format' | 'project' | 'environment' | 'plan_digest' | 'summary'>
  | Pick<FleetReport, 'format' | 'fleet' | 'digest' | 'stakes'>
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

/** Runs a command that talks to the service. The command itself writes annotations and the step summary. */
export async function runReporting(
  run: ActionRun,
  command: string,
  args: readonly string[],
): Promise<Finished> {
  const folder = mkdtempSync(join(run.env.RUNNER_TEMP || tmpdir(), 'tradeform-'));
  const file = (name: string) => join(folder, name);
  try {
    const reports = ['--report', `json=${file('json')}`, '--report', `markdown=${file('md')}`];
    const line = [...args, ...reports, '--max-bytes', MOST_BYTES, ...run.inputs.arguments];
    const { code } = await runTradeform(run, command, line, { service: true });
    const json = read(file('json'));
    return {
      code,
      document: json === undefined ? undefined : (JSON.parse(json) as Document),
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
  const { stdout } = await runTradeform(run, 'validate', line, { service: false, keep: true });
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
