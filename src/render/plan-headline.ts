import type { Change, Observation, Plan } from '../model/generated/plan.ts';
import { comparedText, isSwitchedBefore } from './base-text.ts';
import { costText } from './cost-words.ts';
import { exposureText, stakeText } from './exposure-lines.ts';
import { cells, hang, padEnd } from './layout.ts';
import { onlyText } from './left-text.ts';
import { selectionText } from './plan-summary.ts';
import type { Paint, Tone } from './style.ts';
import { visible } from './untrusted.ts';
import { quoted } from './value-text.ts';

/** What this is a plan of. */
export function titleLines(plan: Plan, columns: number, paint: Paint): string[] {
  const environment = plan.environment === null ? '' : `, environment ${visible(plan.environment)}`;
  const before =
    plan.previous_project === undefined ? '' : `, called ${visible(plan.previous_project)} before`;
  const account = plan.service.login_username;
  const service = [
    visible(plan.service.base_url),
    ...(account === null ? [] : [`account ${visible(account)}`]),
    `token ${visible(plan.service.token_prefix)}`,
  ].join(' · ');
  const selection = selectionText(plan, visible);
  const compared = comparedText(plan);
  const only = onlyText(plan);
  return [
    ...hang('', `Plan for project ${visible(plan.project)}${before}${environment}`, columns).map((line) =>
      paint('title', line),
    ),
    ...hang('', service, columns).map((line) => paint('dim', line)),
    ...(selection === undefined ? [] : hang('', selection, columns).map((line) => paint('warn', line))),
    ...(only === undefined ? [] : hang('', only, columns).map((line) => paint('warn', line))),
    ...(compared === undefined ? [] : hang('', compared, columns).map((line) => paint('warn', line))),
  ];
}

/** What must be read first of the changes: what starts and stops trading, and what trades without git. */
export function tradingLines(plan: Plan, columns: number, paint: Paint): string[] {
  const starts = plan.changes.filter((change) => change.starts_trading);
  const stops = plan.changes.filter((change) => change.stops_trading);
  const cost = costText(plan);
  const strays = plan.observations.filter(({ running, class: kind }) => running && kind !== 'foreign');
  return [
    ...section('Starts trading', '>', starts, 'start', paint),
    ...section('Stops trading', '■', stops, 'stop', paint),
    ...strayLines(strays, columns, paint),
    ...exposureText(plan, columns, paint),
    ...(cost === undefined ? [] : hang('', cost, columns)),
  ];
}

function section(
  title: string,
  sign: string,
  changes: readonly Change[],
  tone: Tone,
  paint: Paint,
): string[] {
  if (changes.length === 0) return [];
  const width = Math.max(...changes.map((change) => cells(visible(change.address))));
  return [
    paint(tone, `${title} (${changes.length})`),
    ...changes.map((change) => {
      const before = isSwitchedBefore(change) ? ', not of this change' : '';
      return `  ${paint(tone, sign)} ${padEnd(visible(change.address), width)}  ${stakeText(change.exposure)}${before}`;
    }),
  ];
}

function strayLines(observations: readonly Observation[], columns: number, paint: Paint): string[] {
  if (observations.length === 0) return [];
  return [
    paint('warn', `Runs without git (${observations.length})`),
    ...observations.flatMap(({ kind, id, remark, class: what }) =>
      hang('  ! ', `${kind} ${visible(id)} ${quoted(remark)}, ${what}: keeps trading`, columns).map((line) =>
        paint('warn', line),
      ),
    ),
  ];
}
