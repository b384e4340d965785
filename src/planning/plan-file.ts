import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemWords } from '../command/system-words.ts';
import { notWritten } from '../command/unwritten.ts';
import { CommandFailure, usage } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { isObject } from '../model/json.ts';
import type { Approval } from '../plan/review/approval.ts';
import { contradictionIn } from '../plan/review/consistency.ts';
import { listedIn, orderOf, planIntegrity, withDigests } from '../plan/review/digest.ts';
import { beginningOf } from '../project/beginning.ts';
import { goalOf } from '../project/door/straying.ts';
import { replaceFile } from '../project/replace-file.ts';
import { readHiddenApproval as readWrittenApproval } from '../render/markdown/header.ts';
import { REDACTED } from '../render/masking/wallets.ts';
import { jsonText } from '../render/result.ts';

/** A plan of ten thousand tasks has some tens of megabytes. A larger file is no plan. */
const MAX_BYTES = 512 * 1024 * 1024;
const FORMAT = 'tradeform.plan/1';

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
  if (start === '' || start.includes('"format": "tradeform.plan/')) return;
  throw usage(
    `--out ${file} exists and is not a plan file; it is not overwritten`,
    'Use another file, or remove this one first.',
  );
}

const BEGINNING = 256;

/** Reads a saved plan and checks format, schema and integrity. Fails with exit 3 and `plan-file-invalid`. */
export async function readPlanFile(file: string, cwd: string): Promise<Plan> {
  const plan = await readPlan(file, cwd);
  if (plan.integrity === REDACTED) {
    throw invalid(
      `${file} is a report made with --redact-wallets: it contains names instead of wallet addresses`,
      'Save a plan with `tradeform plan --out FILE`; it is complete, with --redact-wallets too.',
    );
  }
  if (!isAsMade(plan)) throw changed(file);
  const contradiction = contradictionIn(plan);
  if (contradiction !== undefined) throw changed(file, `: ${contradiction}`);
  return plan;
}

/**
 * Whether checksum and digest of a plan match its content. An index or a reviewer may name only the digest, so the digest must
 * be true.
 */
export function isAsMade(plan: Plan): boolean {
  return planIntegrity(plan) === plan.integrity && withDigests(plan).digest === plan.digest;
}

/**
 * Reads an approved plan for comparison: a saved plan, or the output of `plan -o json`. If values are hidden in that output,
 * its checksum proves nothing, and the digest in it counts.
 */
export async function readApprovedPlan(file: string, cwd: string): Promise<Plan> {
  const plan = await readPlan(file, cwd);
  const hides = plan.integrity === REDACTED || plan.changes.some(({ secrets }) => secrets !== undefined);
  if (!hides && planIntegrity(plan) !== plan.integrity) throw changed(file);
  return plan;
}

/** What was approved: a plan as in `readApprovedPlan`, or a plan in Markdown with its hidden lines, as in a comment. */
export async function readApproval(
  file: string,
  cwd: string,
): Promise<Approval & { readonly plan: Plan | undefined }> {
  const text = await readText(file, resolve(cwd, file));
  if (!text.startsWith('<!--')) {
    const plan = await readApprovedPlan(file, cwd);
    return { digest: plan.digest, changes: listedIn(plan), order: orderOf(plan), plan };
  }
  const written = readWrittenApproval(text);
  if (written !== undefined) return { ...written, plan: undefined };
  throw invalid(
    `${file} contains no plan that can be approved`,
    'Pass the output of `tradeform plan -o markdown`, or the comment that contains it; a refused plan approves nothing.',
  );
}

function changed(file: string, how = ''): CommandFailure {
  return invalid(
    `${file} was changed after it was saved${how}`,
    'Plan again: a plan is applied exactly as it was made.',
  );
}

async function readPlan(file: string, cwd: string): Promise<Plan> {
  const text = await readText(file, resolve(cwd, file));
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    throw invalid(`${file} is not JSON`);
  }
  const format = isObject(data) ? data.format : undefined;
  if (typeof format === 'string' && format.startsWith('tradeform.plan/') && format !== FORMAT) {
    throw invalid(
      `${file} has the format ${JSON.stringify(format)}; this tradeform reads ${FORMAT}`,
      'Apply it with the version of tradeform that made it, or plan again.',
    );
  }
  const { firstProblem, isPlan } = await import('./plan-schema.ts');
  if (!isPlan(data)) throw invalid(`${file} is not a plan${firstProblem()}`);
  return data;
}

async function readText(file: string, path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw invalid(`${file} is larger than any plan`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw invalid(
      `${file} cannot be read: ${systemWords(error)}`,
      'Save a plan with `tradeform plan --out FILE`.',
    );
  }
}

function invalid(message: string, hint = 'Plan again.'): CommandFailure {
  return CommandFailure.of(3, 'plan-file-invalid', message, hint);
}
