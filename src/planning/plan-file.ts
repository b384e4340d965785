import { resolve } from 'node:path';
import type { Io } from '../command/io.ts';
import { readAwaited } from '../command/read-awaited.ts';
import { systemWords } from '../command/system-words.ts';
import { notWritten } from '../command/unwritten.ts';
import { CommandFailure, usage } from '../diagnostics/diagnostic.ts';
import { PLAN_FORMAT, type Plan } from '../model/generated/plan.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Approval } from '../plan/review/approval.ts';
import { listedIn, orderOf, planIntegrity, withDigests } from '../plan/review/digest.ts';
import { beginningOf } from '../project/beginning.ts';
import { goalOf } from '../project/door/straying.ts';
import { replaceFile } from '../project/replace-file.ts';
import { readHiddenApproval as readWrittenApproval } from '../render/markdown/header.ts';
import { jsonText } from '../render/result.ts';
import { contradictionIn } from './planned-anew.ts';

/** A plan of ten thousand tasks has some tens of megabytes. A larger file is no plan. */
const MAX_BYTES = 512 * 1024 * 1024;
/** How the formats of all versions of a plan begin. */
const ANY_VERSION = PLAN_FORMAT.slice(0, PLAN_FORMAT.indexOf('/') + 1);

type Reading = Pick<Io, 'cwd' | 'stop'>;

/**
 * Saves a plan, completely or not at all. Only its owner can read the file, because it holds complete configs. Fails with
 * `file-unwritable` (exit 1) on any error such as a full disk, with `file-outside-project` (exit 3) if a link leads out of the
 * project, and with `invalid-option` (exit 3) if the file exists and is no plan file: a mistyped name must not destroy a
 * manifest.
 */
export async function writePlanFile(file: string, cwd: string, plan: Plan): Promise<void> {
  try {
    const path = resolve(cwd, file);
    goalOf(path);
    await refuseOther(file, path);
    await replaceFile(path, jsonText(plan), { mode: 0o600 });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const hint = 'No partial file was left; save to another place with --out.';
    throw notWritten(`the plan could not be saved to ${file}`, error, hint);
  }
}

async function refuseOther(file: string, path: string): Promise<void> {
  const start = await beginningOf(path, BEGINNING);
  if (start === '' || start.includes(`"format": "${ANY_VERSION}`)) return;
  throw usage(
    `--out ${file} exists and is not a plan file; it is not overwritten`,
    'Use another file, or remove this one first.',
  );
}

const BEGINNING = 256;

/** Reads a saved plan and checks format, schema and integrity. Fails with exit 3 and `plan-file-invalid`. */
export async function readPlanFile(file: string, io: Reading): Promise<Plan> {
  const plan = await readPlan(file, await readText(file, io));
  if (!isAsMade(plan)) throw changed(file);
  const contradiction = contradictionIn(plan);
  if (contradiction !== undefined) throw changed(file, `: ${contradiction}`);
  return plan;
}

/** Whether checksum and digests of a plan match its content. An index or a reviewer may name only a digest, so these must be true. */
export function isAsMade(plan: Plan): boolean {
  return planIntegrity(withDigests(plan)) === plan.integrity;
}

/**
 * Reads an approved plan for comparison: a saved plan, or the output of `plan -o json`. If values are hidden in that output,
 * its checksum proves nothing, and the digest in it counts.
 */
async function readApprovedPlan(file: string, text: string): Promise<Plan> {
  const plan = await readPlan(file, text);
  const hides = plan.changes.some(({ secrets }) => secrets !== undefined);
  if (!hides && planIntegrity(plan) !== plan.integrity) throw changed(file);
  return plan;
}

/** What was approved: a plan as in `readApprovedPlan`, or a plan in Markdown with its hidden lines, as in a comment. */
export async function readApproval(
  file: string,
  io: Reading,
): Promise<Approval & { readonly plan: Plan | undefined }> {
  const text = await readText(file, io);
  if (!text.startsWith('<!--')) {
    const plan = await readApprovedPlan(file, text);
    return { digest: plan.digest, changes: listedIn(plan), order: orderOf(plan), plan };
  }
  const written = readWrittenApproval(text);
  if (written !== undefined) return { ...written, plan: undefined };
  throw invalidPlanFile(
    `${file} contains no plan that can be approved`,
    'Pass the output of `tradeform plan -o markdown`, or the comment that contains it; a refused plan approves nothing.',
  );
}

function changed(file: string, how = ''): CommandFailure {
  return invalidPlanFile(
    `${file} was changed after it was saved${how}`,
    'Plan again: a plan is applied exactly as it was made.',
  );
}

async function readPlan(file: string, text: string): Promise<Plan> {
  const data = parseJson(text);
  if (data === undefined) throw invalidPlanFile(`${file} is not JSON`);
  const format = isObject(data) ? data.format : undefined;
  if (typeof format === 'string' && format.startsWith(ANY_VERSION) && format !== PLAN_FORMAT) {
    throw invalidPlanFile(
      `${file} has the format ${JSON.stringify(format)}; this tradeform reads ${PLAN_FORMAT}`,
      'Apply it with the version of tradeform that made it, or plan again.',
    );
  }
  if (format !== PLAN_FORMAT) throw invalidPlanFile(`${file} is not a plan`);
  const { problemWith } = await import('../documents/schemas.ts');
  // Its schema says whether it is one.
  const plan = data as unknown as Plan;
  const problem = problemWith(plan);
  if (problem !== undefined) throw invalidPlanFile(`${file} is not a plan${problem}`);
  return plan;
}

async function readText(file: string, { cwd, stop }: Reading): Promise<string> {
  try {
    const { bytes } = await readAwaited(resolve(cwd, file), MAX_BYTES, stop.soft);
    if (bytes === undefined) throw invalidPlanFile(`${file} is larger than any plan`);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw invalidPlanFile(
      `${file} cannot be read: ${systemWords(error)}`,
      'Save a plan with `tradeform plan --out FILE`; single tasks are chosen with --target ADDRESS.',
    );
  }
}

export function invalidPlanFile(message: string, hint = 'Plan again.'): CommandFailure {
  return CommandFailure.of(3, 'plan-file-invalid', message, hint);
}
