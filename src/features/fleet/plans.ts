import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Io } from '../../command/io.ts';
import { knowPlan } from '../../command/masking.ts';
import { notWritten } from '../../command/unwritten.ts';
import { CommandFailure, usage } from '../../diagnostics/diagnostic.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { isObject, type Json } from '../../model/json.ts';
import { DIGEST_HINT, isDigest, shortDigest } from '../../plan/guardrails/override.ts';
import { readApprovedPlan } from '../../planning/plan-file.ts';
import { readNamed } from '../../project/read-named.ts';
import { replaceFile } from '../../project/replace-file.ts';
import { jsonText } from '../../render/result.ts';
import { fleetDigest } from './report.ts';
import type { Unit } from './units.ts';

/** The index in a folder of saved plans. The folder also has one file for each plan. */
const INDEX = 'fleet-plans.json';
const FORMAT = 'tradeform.fleet-plans/1';

interface Listed {
  readonly name: string;
  /** Absent if there was no plan to save. */
  readonly digest?: string;
}

export interface SavedPlans {
  readonly digest: string;
  readonly units: readonly Listed[];
  /** Absolute. */
  readonly file: (name: string) => string;
}

/** The folder that `--out` names: new, empty, or with earlier saved plans. Fails with exit 3 for any other. */
export async function plansFolder(directory: string, { cwd }: Pick<Io, 'cwd'>): Promise<string> {
  const folder = resolve(cwd, directory);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const files = await readdir(folder);
    if (files.length === 0 || files.includes(INDEX)) return folder;
  } catch (error) {
    throw notWritten(`the plans cannot be saved to ${directory}`, error, 'Use another folder for --out.');
  }
  throw usage(`--out ${directory} is a folder with other files`, 'Use a new folder.');
}

export function planFile(folder: string, name: string): string {
  return join(folder, `${name}.plan.json`);
}

/** Written last, because plans without an index are not saved plans. Returns the digest. */
export async function writeIndex(folder: string, units: readonly Listed[]): Promise<string> {
  const digest = fleetDigest(units);
  const listed = units.map(({ name, digest: own }) => ({
    name,
    ...(own === undefined ? {} : { digest: own }),
  }));
  const text = jsonText({ format: FORMAT, digest, units: listed });
  try {
    await replaceFile(join(folder, INDEX), text, { mode: 0o600 });
  } catch (error) {
    throw notWritten('the index of the plans could not be written', error, 'Plan again.');
  }
  return digest;
}

/**
 * The index of saved plans. Fails (exit 3) with `plan-file-invalid` if it is no index, was changed, or has a unit that was removed
 * from the fleet: the plan of that unit was approved, but nobody would carry it out or report it.
 */
export function readSavedPlans(
  directory: string,
  fleet: readonly Pick<Unit, 'name'>[],
  { cwd }: Pick<Io, 'cwd'>,
): SavedPlans {
  const folder = resolve(cwd, directory);
  const read = readNamed(join(folder, INDEX), join(directory, INDEX));
  if ('diagnostic' in read) throw new CommandFailure(3, [read.diagnostic]);
  const index = parsed(read.source.text);
  const listed: readonly Json[] = isObject(index) && Array.isArray(index.units) ? index.units : [];
  const units = listed.filter(isListed);
  const whole = units.length === listed.length;
  if (!isObject(index) || index.format !== FORMAT || !whole || index.digest !== fleetDigest(units)) {
    throw new CommandFailure(3, [
      {
        severity: 'error',
        code: 'plan-file-invalid',
        message: `${directory} contains no plans of a fleet, or the plans were changed`,
        hint: 'Save plans with `tradeform fleet plan --out DIR`.',
      },
    ]);
  }
  const gone = units.filter(({ name }) => fleet.every((unit) => unit.name !== name));
  if (gone.length > 0) {
    const names = gone.map(({ name }) => name).join(', ');
    const message = `${directory} has plans of units that the fleet does not have: ${names}`;
    const hint = 'Plan again with `tradeform fleet plan --out DIR`, or bring these units back.';
    throw new CommandFailure(3, [{ severity: 'error', code: 'plan-file-invalid', message, hint }]);
  }
  return { digest: index.digest, units, file: (name) => planFile(folder, name) };
}

function isListed(unit: Json): unit is Json & Listed {
  if (!isObject(unit) || typeof unit.name !== 'string') return false;
  return unit.digest === undefined || typeof unit.digest === 'string';
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** A saved plan, which must be the one in the index. */
export async function readSavedPlan(saved: SavedPlans, name: string, io: Io): Promise<Plan> {
  const digest = saved.units.find((unit) => unit.name === name)?.digest;
  const plan = digest === undefined ? undefined : await readApprovedPlan(saved.file(name), io.cwd);
  if (plan !== undefined) knowPlan(plan, io);
  if (plan !== undefined && plan.digest === digest) return plan;
  const message =
    plan === undefined
      ? `there is no saved plan for ${name}`
      : `the saved plan of ${name} differs from the index`;
  const hint = 'Plan again with `tradeform fleet plan --out DIR`.';
  throw new CommandFailure(3, [{ severity: 'error', code: 'plan-file-invalid', message, hint }]);
}

/** Fails with exit 3 if the text is no digest, and with exit 4 if the plans differ from the approved ones. */
export function requireDigest(expected: string | undefined, digest: string): void {
  if (expected === undefined) return;
  if (!isDigest(expected.toLowerCase()))
    throw usage(`--expect-digest ${JSON.stringify(expected)} is not a complete digest`, DIGEST_HINT);
  if (digest === expected.toLowerCase()) return;
  throw new CommandFailure(
    4,
    [
      {
        severity: 'error',
        code: 'digest-differs',
        message: `the plans are not the approved ones: their digest is ${shortDigest(digest)}, but ${shortDigest(expected.toLowerCase())} was approved; nothing was changed`,
        hint: 'Review `tradeform fleet plan` again. A unit that could not be planned, or another choice of units, changes the digest.',
      },
    ],
    new Map(),
    { digest },
  );
}
