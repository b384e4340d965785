import { compareDecimals, signedDifference } from '../model/decimal.ts';
import type { Change, LabelExposure, Plan } from '../model/generated/plan.ts';
import { SECRET } from '../model/secret.ts';
import { cells, hang, padEnd } from './layout.ts';
import type { Paint } from './style.ts';
import { visible } from './untrusted.ts';

/** Tasks that are named for how much they change what is at stake. */
export const MOST_NAMED = 5;

/** What the plan puts at stake, for a terminal: one line where nothing changes. */
export function exposureText({ exposure, changes }: Plan, columns: number, paint: Paint): string[] {
  const { before, after, running_before, running_after, labels } = exposure;
  const unchanged = before === after && running_before === running_after;
  const headline = unchanged
    ? `At stake per trigger, unchanged: ${after} SOL, ${running_after} running`
    : `At stake per trigger: ${before} → ${after} SOL, ${running_before} → ${running_after} running`;
  const lines = hang('', headline, columns).map((line) => paint('strong', line));
  const movers = moversOf(changes);
  if (unchanged && movers.length === 0) return lines;
  const moving = movers.slice(0, MOST_NAMED).map(moverText).join(', ');
  return [
    ...lines,
    ...(isTelling(labels) ? labelTable(labels, columns) : []),
    ...(movers.length === 0 ? [] : hang('  ', `Changes most: ${moving}${moreText(movers)}`, columns)),
    ...leftOutText(exposure, columns).map((line) => paint('dim', line)),
  ];
}

function labelTable(labels: readonly LabelExposure[], columns: number): string[] {
  const rows = labels.map((row) => ({ ...row, name: labelText(row) }));
  const width = Math.max(...rows.map(({ name }) => cells(name)));
  const sums = Math.max(...rows.map((row) => cells(sumText(row))));
  const lines = rows.map(
    (row) => `  ${padEnd(row.name, width)}  ${padEnd(sumText(row), sums)}  ${runningText(row)}`,
  );
  if (lines.every((line) => cells(line) <= columns)) return lines;
  return rows.flatMap((row) => hang('  ', `${row.name}: ${sumText(row)}, ${runningText(row)}`, columns));
}

function leftOutText({ left_out }: Plan['exposure'], columns: number): string[] {
  if (left_out.length === 0) return [];
  return hang('  ', `Not in these sums: ${left_out.map(({ text }) => visible(text)).join(' ')}`, columns);
}

/** `0 → 0.5 SOL`, of one change. */
export function stakeText({ before, after, secret }: Change['exposure']): string {
  return secret === true ? SECRET : `${before} → ${after} SOL`;
}

/** A table of one row without a name says what the headline says. */
export function isTelling(labels: readonly LabelExposure[]): boolean {
  return labels.length > 1 || labels.some(({ label }) => label !== null);
}

function labelText({ label }: LabelExposure): string {
  return label === null ? '(no label)' : visible(label);
}

function sumText({ before, after }: LabelExposure): string {
  return before === after ? `${after} SOL` : `${before} → ${after} SOL`;
}

function runningText({ running_before, running_after }: LabelExposure): string {
  return running_before === running_after
    ? `${running_after} running`
    : `${running_before} → ${running_after} running`;
}

/** Changes that move the sum, those that move it most first. */
export function moversOf(changes: readonly Change[]): readonly Change[] {
  const size = ({ exposure }: Change) =>
    signedDifference(exposure.before, exposure.after).replace(/^[+-]/, '');
  return changes
    .filter(({ exposure }) => compareDecimals(exposure.before, exposure.after) !== 0)
    .sort((a, b) => compareDecimals(size(b), size(a)) || (a.address < b.address ? -1 : 1));
}

function moverText({ address, exposure }: Change): string {
  return `${visible(address)} ${signedDifference(exposure.before, exposure.after)}`;
}

function moreText(movers: readonly Change[]): string {
  const more = movers.length - MOST_NAMED;
  return more > 0 ? `, and ${more} more` : '';
}
