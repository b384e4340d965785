import { resolve } from 'node:path';
import type { Io } from '../command/io.ts';
import { shown } from '../command/masking.ts';
import { readAwaited } from '../command/read-awaited.ts';
import { notWritten } from '../command/unwritten.ts';
import { CommandFailure, usage } from '../diagnostics/diagnostic.ts';
import { systemWords } from '../diagnostics/system-words.ts';
import { PLAN_FORMAT, type Plan } from '../model/generated/plan.ts';
import { isObject, parseJson } from '../model/json.ts';
import type { Approval } from '../plan/review/approval.ts';
import { listedIn, orderOf, withDigests } from '../plan/review/digest.ts';
import { beginningOf } from '../project/beginning.ts';
import { goalOf } from '../project/door/straying.ts';
import { replaceFile } from '../project/replace-file.ts';
import { readHiddenApproval as readWrittenApproval } from '../render/markdown/header.ts';
import { maskPlan } from '../render/masking/by-path.ts';
import { jsonText } from '../render/result.ts';

/** A plan of ten thousand tasks has some tens of megabytes. A larger file is no plan. */
const MAX_BYTES = 512 * 1024 * 1024;
/** How the formats of all versions of a plan begin. */
const ANY_VERSION = PLAN_FORMAT.slice(0, PLAN_FORMAT.indexOf('/') + 1);

type FileIo = Pick<Io, 'cwd' | 'stop'>;

/**
 * Saves a plan in the form that may be shown, completely or not at all. Fails with `file-unwritable` (exit 1) on any error such as a full disk, with `file-outside-project` (exit 3) if a link leads out of the
 * project, and with `invalid-option` (exit 3) if the file exists and is no plan file: a mistyped name must not destroy a
 * manifest.
 */
export async function writePlanFile(
  file: string,
  plan: Plan,
  io: Pick<Io, 'cwd' | 'masking'>,
): Promise<void> {
  try {
    const path = resolve(io.cwd, file);
    goalOf(path);
    await refuseOther(file, path);
    await replaceFile(path, jsonText(shown(maskPlan(plan), io)), { mode: 0o666 });
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

/** A plan that was approved. The plan itself is undefined if only the list of changes is known, as in Markdown. */
export interface ApprovedPlan extends Approval {
  readonly plan: Plan | undefined;
}

/**
 * Reads what was approved: a plan as `plan --out FILE` and `plan -o json` write it, or in Markdown with its hidden lines, as in a
 * comment. The digests of changes are computed from what the file shows, where nothing is hidden: the list of an edited file is not
 * that of its digest, which is found when a plan is compared with it (`judgeApproval`). Fails with exit 3 and `plan-file-invalid`.
 */
export async function readApproval(file: string, io: FileIo): Promise<ApprovedPlan> {
  const text = await readText(file, io);
  if (!text.startsWith('<!--')) {
    const plan = await readPlan(file, text);
    const anew = withDigests(plan).changes;
    const changes = plan.changes.map((own, index) => (own.secrets === undefined ? anew[index] : own) ?? own);
    return { digest: plan.digest, changes: listedIn({ changes }), order: orderOf(plan), plan };
  }
  const written = readWrittenApproval(text);
  if (written !== undefined) return { ...written, plan: undefined };
  throw invalidPlanFile(
    `${file} contains no plan that can be approved`,
    'Pass the output of `tradeform plan -o markdown`, or the comment that contains it; a refused plan approves nothing.',
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

async function readText(file: string, { cwd, stop }: FileIo): Promise<string> {
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
