import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { FleetReport, FleetUnit, Stakes } from '../../model/generated/fleet-report.ts';
import { count } from '../../render/layout.ts';
import type { Tone } from '../../render/style.ts';

export const RESULT_TONES: Readonly<Record<FleetUnit['result'], Tone>> = {
  ok: 'dim',
  differs: 'change',
  refused: 'warn',
  failed: 'error',
  invalid: 'error',
  interrupted: 'error',
  'not-run': 'error',
};

const RESULTS: readonly (readonly [keyof FleetReport['summary'], string])[] = [
  ['not_run', 'not run'],
  ['interrupted', 'interrupted'],
  ['invalid', 'invalid'],
  ['failed', 'failed'],
  ['refused', 'refused'],
  ['differs', 'with differences'],
  ['ok', 'ok'],
];

/** `12 accounts: 1 failed, 2 refused, 9 ok`. */
export function resultsText({ summary }: FleetReport): string {
  const parts = RESULTS.flatMap(([field, words]) =>
    summary[field] === 0 ? [] : [`${summary[field]} ${words}`],
  );
  return `${count(summary.units, 'account')}: ${parts.join(', ')}`;
}

/** `0.5 → 0.7 SOL per trigger, 2 start, 9 changes`. Undefined if the command knows no exposure. */
export function sumsText({ stakes, units }: FleetReport): string | undefined {
  const left = units.filter((unit) => unit.stakes === null).length;
  if (left === units.length) return undefined;
  return `${unitStakesText(stakes)}${left === 0 ? '' : `; ${count(left, 'account')} not in these sums`}`;
}

export function unitStakesText({ before, after, starts, stops, changes }: Stakes): string {
  return [
    before === after ? `${before} SOL per trigger` : `${before} → ${after} SOL per trigger`,
    ...(starts === 0 ? [] : [`${starts} start`]),
    ...(stops === 0 ? [] : [`${stops} stop`]),
    ...(changes === 0 ? ['no changes'] : [count(changes, 'change')]),
  ].join(', ');
}

/** The account and host of a unit: `account whales on api.example.com`. */
export function unitPlaceText({ account, base_url }: FleetUnit): string {
  const host = /^\w+:\/\/([^/]+)/.exec(base_url)?.[1] ?? base_url;
  return account === null ? host : `account ${account} on ${host}`;
}

/** Why a unit is not ok, in one line. Empty if it is ok. */
export function reasonText({ exit_code, diagnostics, document }: FleetUnit): string {
  if (exit_code === 0) return '';
  const said = [diagnostics, document?.diagnostics].flatMap((list) => (Array.isArray(list) ? list : []));
  const errors = said.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${String(first.code)}: ${String(first.message)}${more}`;
}

/** Problems beside the units. */
export function besideOf({ diagnostics = [] }: FleetReport): readonly Diagnostic[] {
  return diagnostics as unknown as readonly Diagnostic[];
}

/** True if the unit needs attention: something is wrong with it, or would change. */
export function isNotable({ exit_code, stakes }: FleetUnit): boolean {
  return exit_code !== 0 || (stakes !== null && stakes.changes + stakes.starts + stakes.stops > 0);
}
