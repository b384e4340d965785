import { createHash } from 'node:crypto';
import type { Io } from '../../core/command/io.ts';
import { VERSION } from '../../core/command/version.ts';
import { type CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { isSwitched } from '../../core/documents/document.ts';
import { fleetDigest, onlyWaits } from '../../core/documents/fleet.ts';
import { accountIn, accountKind } from '../../core/documents/of-accounts.ts';
import { byKey } from '../../core/model/by-key.ts';
import { compareTexts } from '../../core/model/compare-texts.ts';
import { addDecimals, compareDecimals } from '../../core/model/decimal.ts';
import { compareCodes, isGood, worstCode } from '../../core/model/exit-codes.ts';
import { DRIFT_FORMAT } from '../../core/model/generated/drift.ts';
import {
  FLEET_FORMAT,
  type FleetReport,
  type FleetUnit,
  type Stakes,
} from '../../core/model/generated/fleet-report.ts';
import { PLAN_FORMAT } from '../../core/model/generated/plan.ts';
import { REPORT_FORMAT, type SwitchedTask } from '../../core/model/generated/report.ts';
import { given } from '../../core/model/given.ts';
import { acted, openIn } from '../../core/model/switched.ts';
import type { OpenedFleet } from './fleet-file.ts';
import type { UnitEnd } from './run-unit.ts';

export type FleetCommand = FleetReport['command'];

const RESULTS = {
  0: 'ok',
  1: 'failed',
  2: 'differs',
  3: 'invalid',
  4: 'refused',
  // The branch has a newer commit, and nothing was done.
  5: 'ok',
  130: 'interrupted',
} as const satisfies Record<FleetReport['exit_code'], FleetUnit['result']>;

/**
 * Whether a result and an exit code match. Both come from a document that others wrote, and an unknown code must not count as
 * success.
 */
export function isResult({ result, exit_code }: Pick<FleetUnit, 'result' | 'exit_code'>): boolean {
  if (result === 'not-run') return exit_code === 1;
  return Object.entries(RESULTS).some(([code, known]) => known === result && Number(code) === exit_code);
}

/** A unit's end, and further facts about it. */
export interface Ended extends UnitEnd {
  /** From the working directory. */
  readonly folder: string;
  /** For an apply: the plan that it carried out. */
  readonly plan?: FleetUnit['document'] | undefined;
}

export type Shard = NonNullable<FleetReport['shard']>;

interface ReportInput extends Pick<FleetReport, 'command' | 'fleet' | 'file' | 'created_at' | 'chosen'> {
  readonly shard?: Shard | undefined;
  /** Problems beside the units. */
  readonly beside?: readonly Beside[] | undefined;
}

/** A problem of the whole run, with its severity. */
export type Beside = Pick<CommandFailure, 'exitCode' | 'diagnostics'>;

/** The only document of a fleet: the worst units first, then the most expensive, then by name. */
export function fleetReport(input: ReportInput, ended: readonly FleetUnit[]): FleetReport {
  const { command, fleet, file, created_at, chosen, shard, beside = [] } = input;
  const diagnostics = beside.flatMap((one) => one.diagnostics);
  const units = withoutEachOther(ended).sort(worstFirst);
  const results = byKey(units, ({ result }) => result);
  const number = (result: FleetUnit['result']) => results.get(result)?.length ?? 0;
  const planned = command === 'plan' || command === 'apply' || command === 'drift';
  return {
    format: FLEET_FORMAT,
    tool: { name: 'tradeform', version: VERSION },
    created_at,
    command,
    fleet,
    file,
    exit_code: worstCode([
      ...units.map(({ exit_code }) => exit_code),
      ...beside.map(({ exitCode }) => exitCode),
    ]),
    ...(planned ? { digest: fleetDigest(units) } : {}),
    chosen,
    ...given({ shard }),
    summary: {
      units: units.length,
      ok: number('ok'),
      differs: number('differs'),
      refused: number('refused'),
      failed: number('failed'),
      invalid: number('invalid'),
      interrupted: number('interrupted'),
      not_run: number('not-run'),
    },
    stakes: sumOf(units),
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
    units,
  };
}

function worstFirst(a: FleetUnit, b: FleetUnit): number {
  return (
    compareCodes(b.exit_code, a.exit_code) ||
    Number(a.result === 'not-run') - Number(b.result === 'not-run') ||
    Number(onlyWaits(a)) - Number(onlyWaits(b)) ||
    compareDecimals(dearest(b), dearest(a)) ||
    compareTexts(a.name, b.name)
  );
}

function dearest({ stakes }: FleetUnit): string {
  if (stakes === null) return '0';
  return compareDecimals(stakes.before, stakes.after) > 0 ? stakes.before : stakes.after;
}

export async function fleetUnitOf(command: FleetCommand, ended: Ended): Promise<FleetUnit> {
  const { unit, code, document, diagnostics, folder, plan } = ended;
  const known = plan ?? document;
  // A refused plan is not carried out.
  const planned = plan ?? (isGood(code) ? document : null);
  const digest =
    planned?.format === PLAN_FORMAT || planned?.format === DRIFT_FORMAT ? planned.digest : undefined;
  const stakes = await stakesOf(command, known, ended);
  return {
    name: unit.name,
    folder,
    environment: unit.environment ?? null,
    base_url: unit.baseUrl,
    tags: [...unit.tags],
    wave: unit.wave,
    account: (known === null ? undefined : accountIn(known))?.service.login_username ?? null,
    result: code === undefined ? 'not-run' : RESULTS[code],
    // A unit that was not run counts as 1.
    exit_code: code ?? 1,
    ...given({ digest }),
    // A unit that did not begin has no share in the sums of what was done.
    stakes: code === undefined ? null : (stakes ?? null),
    document,
    diagnostics: [...diagnostics],
  };
}

/** For each unit the names of the others that are the same project on the same account, as the service says. Empty without any. */
export function sharing<One>(
  all: readonly One[],
  of: (one: One) => Pick<FleetUnit, 'name' | 'base_url' | 'document'>,
): (one: One) => string {
  const keyOf = (one: One) => {
    const project = documentIn(of(one))?.project;
    return typeof project === 'string' ? JSON.stringify([accountOf(of(one)), project]) : one;
  };
  const groups = byKey(all, keyOf);
  const namesOf = (some: readonly One[]) => some.map((one) => of(one).name).join(', ');
  return (one) => namesOf((groups.get(keyOf(one)) ?? []).filter((other) => other !== one));
}

/** Exit codes that say that nothing was sent. */
const UNSENT: ReadonlySet<UnitEnd['code']> = new Set([3, 4, 5]);

/** Of an apply, what it did. Undefined if nobody knows. */
async function stakesOf(
  command: FleetCommand,
  known: FleetUnit['document'],
  { document, code }: UnitEnd,
): Promise<Stakes | undefined> {
  if (command !== 'apply' || known?.format !== PLAN_FORMAT)
    return known === null ? undefined : (await accountKind(known)).stakes?.(known);
  const report = document?.format === REPORT_FORMAT && !isSwitched(document) ? document : undefined;
  const { doneStakes } = await import('../../core/documents/plan.ts');
  // The amounts of another plan than the approved one are not here.
  const isKnown = report === undefined ? UNSENT.has(code) : report.digest === known.digest;
  return isKnown ? doneStakes(known, report) : undefined;
}

function sumOfNumbers(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0);
}

type Sight = Pick<FleetUnit, 'name' | 'base_url' | 'document'>;
const documentIn = ({ document }: Sight) => (document === null ? undefined : accountIn(document));

/** Units of one account have one key: by its name, or without one by the token. */
function accountOf(unit: Sight): string {
  const { login_username: login, token_prefix: prefix } = documentIn(unit)?.service ?? {};
  return JSON.stringify([login ?? [prefix ?? unit.name], unit.base_url]);
}

/** What trades outside git without the tasks of other units: these are in the sums of their own. */
function withoutEachOther(units: readonly FleetUnit[]): FleetUnit[] {
  const accounts = byKey(units, accountOf);
  return units.map((unit) => {
    const { stakes } = unit;
    if (stakes?.outside === undefined) return unit;
    const summed = accounts
      .get(accountOf(unit))
      ?.map((one) => one.stakes && (documentIn(one)?.project ?? null));
    const outside = stakes.outside.filter(({ project }) => project === null || !summed?.includes(project));
    return { ...unit, stakes: { ...stakes, outside } };
  });
}

function widest(all: readonly Outside[]): Outside {
  const tasksIn = (one: Outside) => sumOfNumbers(one.map(({ tasks }) => tasks));
  return all.toSorted((a, b) => tasksIn(b) - tasksIn(a))[0] ?? [];
}

type Outside = NonNullable<Stakes['outside']>;

/** Pauses of one account may stop the same tasks: each counts once, as the worst unit says. Ids are of the service. */
function pausedOnce(units: readonly FleetUnit[]): Stakes[] {
  const seen = new Set<string>();
  return units.flatMap(({ stakes, document, base_url }) => {
    const isPause =
      document?.format === REPORT_FORMAT && isSwitched(document) && document.record.command === 'pause';
    if (stakes === null || !isPause) return stakes ?? [];
    const fresh = (some: readonly SwitchedTask[]) =>
      some.filter(({ id }) => seen.size < seen.add(`${base_url} ${id}`).size);
    const [open, stopped] = [fresh(openIn(document.changes)), fresh(acted(document.changes, 'stop'))];
    const solOf = (some: readonly SwitchedTask[]) => addDecimals(some.map(({ exposure }) => exposure ?? '0'));
    const after = document.dry_run ? '0' : solOf(open);
    const stops = stopped.length;
    return { ...stakes, before: solOf([...open, ...stopped]), after, stops, changes: stops };
  });
}

function sumOf(units: readonly FleetUnit[]): Stakes {
  const all = pausedOnce(units);
  const number = (field: 'starts' | 'stops' | 'changes' | 'pending' | 'held' | 'blocked') =>
    sumOfNumbers(all.map((one) => one[field] ?? 0));
  // Each unit of an account sees the same tasks, if its token sees all kinds.
  const accounts = [...byKey(units, accountOf).values()];
  return {
    before: addDecimals(all.map(({ before }) => before)),
    after: addDecimals(all.map(({ after }) => after)),
    starts: number('starts'),
    stops: number('stops'),
    changes: number('changes'),
    ...given({
      pending: number('pending') || undefined,
      held: number('held') || undefined,
      blocked: number('blocked') || undefined,
    }),
    outside: accounts.flatMap((same) => widest(same.map(({ stakes }) => stakes?.outside ?? []))),
  };
}

/**
 * `--shard I/N`, with I from 1. `job/N` takes the index of a Kubernetes Indexed Job (`JOB_COMPLETION_INDEX`, from 0). `ci` takes
 * the variables of GitLab and others (`CI_NODE_INDEX` from 1, `CI_NODE_TOTAL`). Fails with exit 3 for anything else. `run` is
 * `--run`.
 */
export function readShard(
  { shard: text = '', run }: { readonly shard?: string | undefined; readonly run?: string | undefined },
  { file, sources, units }: Pick<OpenedFleet, 'file' | 'sources' | 'units'>,
  { env }: Pick<Io, 'env'>,
): Shard {
  const job = /^\d+$/.test(env.JOB_COMPLETION_INDEX ?? '')
    ? String(Number(env.JOB_COMPLETION_INDEX) + 1)
    : '';
  const written =
    text === 'ci' ? `${env.CI_NODE_INDEX}/${env.CI_NODE_TOTAL}` : text.replace(/^job\//, `${job}/`);
  const [, first, second] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(written) ?? [];
  const shard = { index: Number(first), of: Number(second) };
  if (shard.index <= shard.of) {
    const read = JSON.stringify([sources.get(file), units.map(({ name }) => name).sort()]);
    const fleet_digest = createHash('sha256').update(read).digest('hex');
    return { ...shard, run: run ?? runOf(env), fleet_digest };
  }
  throw usage(
    `--shard ${text} is not a shard`,
    'Write I/N with I from 1 to N, job/N in an Indexed Job, or ci with CI_NODE_INDEX and CI_NODE_TOTAL.',
  );
}

/**
 * The run of the CI system that this job belongs to, equal in all its jobs. null if unknown. GitHub keeps the id when a run is
 * restarted, so each attempt counts as its own run. Otherwise a document of an earlier attempt could replace a shard that ended
 * without one. GitLab passes on the artifacts of the latest attempt of each job.
 */
export function runOf({ GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT, CI_PIPELINE_ID }: Io['env']): string | null {
  if (GITHUB_RUN_ID)
    return ['github', GITHUB_RUN_ID, ...(GITHUB_RUN_ATTEMPT ? [GITHUB_RUN_ATTEMPT] : [])].join('-');
  return CI_PIPELINE_ID ? `gitlab-${CI_PIPELINE_ID}` : null;
}

/**
 * Whether a unit belongs to a shard, decided by its name alone (rendezvous hashing). A new unit moves no other unit. Another
 * number of shards moves as few units as possible.
 */
export function isOfShard(name: string, { index, of }: Pick<Shard, 'index' | 'of'>): boolean {
  const weight = (shard: number) => createHash('sha256').update(`${shard}\0${name}`).digest('hex');
  const shards = Array.from({ length: of }, (_item, at) => at + 1);
  return index === shards.reduce((best, shard) => (weight(shard) > weight(best) ? shard : best));
}
