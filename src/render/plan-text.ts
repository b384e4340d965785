import type { Change, Observation, Plan } from '../model/generated/plan.ts';
import { isEmptyPlan } from '../plan/plan.ts';
import { dearestFirst } from '../plan/stakes/cost.ts';
import { foldAlike, leftWords } from './alike.ts';
import { BEFORE, settledLines, THIS_CHANGE } from './base-text.ts';
import { indexOperations } from './chain-words.ts';
import { type BlockOptions, changeBlock } from './change-block.ts';
import { placeText } from './field-lines.ts';
import { hang } from './layout.ts';
import { leftLines } from './left-text.ts';
import { overridesText } from './overrides-text.ts';
import { titleLines, tradingLines } from './plan-headline.ts';
import { hasWork, summaryLine } from './plan-summary.ts';

import { rulesLines } from './rules-text.ts';
import { type Paint, painter, type Tone } from './style.ts';
import { visible } from './untrusted.ts';
import { quoted } from './value-text.ts';
import { CLASS_TITLES, heldReason, REASONS } from './words.ts';

export interface TextOptions {
  readonly columns: number;
  readonly color: boolean;
}

/** Wider than this, lines are hard to read; narrower, there is no room for an address. */
/** As many digits as the messages of --expect-digest show. */
const DIGEST = 16;
const WIDEST = 120;
const NARROWEST = 40;

/** The plan for people (DESIGN 6), the dearest changes first: a pure function of the plan and the options. Ends with a newline. */
export function planText(document: Plan, options: TextOptions): string {
  const plan = dearestFirst(document);
  const columns = Math.min(WIDEST, Math.max(NARROWEST, options.columns));
  const paint = painter(options.color);
  const operations = indexOperations(plan.operations);
  const parts = [
    titleLines(plan, columns, paint),
    rulesLines(plan, columns, paint),
    tradingLines(plan, columns, paint),
    ...blocksOf(plan, { columns, paint, operations }),
    settledLines(plan, columns, paint),
    heldLines(plan.changes, columns, paint),
    blockedLines(plan.changes, columns, paint),
    leftLines(plan, columns, paint),
    ...observationParts(plan.observations, columns, paint),
    overrideLines(plan, columns, paint),
    diagnosticLines(plan, columns, paint),
    [
      ...hang('', summaryLine(plan), columns).map((line) => paint('title', line)),
      // What --expect-digest and --override name.
      ...(isEmptyPlan(plan) ? [] : [paint('dim', `Digest: ${plan.digest.slice(0, DIGEST)}`)]),
    ],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** With a base, what is of this change stands first. */
function blocksOf(plan: Plan, options: BlockOptions): string[][] {
  const shown = plan.changes.filter(isShown);
  const blocks = (changes: readonly Change[]) => changes.map((change) => changeBlock(change, options));
  if (plan.base === undefined) return blocks(shown);
  const title = (text: string, { length }: readonly Change[]) => [
    options.paint('title', `${text} (${length})`),
  ];
  const before = shown.filter(({ provenance }) => provenance === 'before');
  const own = shown.filter((change) => !before.includes(change));
  return [
    ...(own.length === 0 ? [] : [title(THIS_CHANGE, own), ...blocks(own)]),
    ...(before.length === 0 ? [] : [title(BEFORE, before), ...blocks(before)]),
  ];
}

/** Blocked addresses have a section of their own, and so have held ones for which nothing is written. */
function isShown(change: Change): boolean {
  return change.blocked === null && hasWork(change);
}

function heldLines(changes: readonly Change[], columns: number, paint: Paint): string[] {
  const held = changes.filter((change) => change.held);
  if (held.length === 0) return [];
  return [
    paint('warn', `Held (${held.length}): stays paused until the manifests or you ask anew`),
    ...held.flatMap((change) =>
      item(
        '=',
        `${visible(change.address)}: ${heldReason(change)}${beforeNote(change.provenance)}`,
        'warn',
        columns,
        paint,
      ),
    ),
    ...hang(
      '  ',
      'To start them: a new spec.rearm value, `tradeform resume ADDRESS`, or --resume-stopped ADDRESS.',
      columns,
    ).map((line) => paint('dim', line)),
  ];
}

function blockedLines(changes: readonly Change[], columns: number, paint: Paint): string[] {
  const blocked = changes.filter((change) => change.blocked !== null);
  if (blocked.length === 0) return [];
  return [
    paint('error', `Blocked (${blocked.length}): nothing is done to these`),
    ...blocked.flatMap((change) =>
      item(
        '!',
        `${visible(change.address)}: ${blockedText(change)}${beforeNote(change.provenance)}`,
        'error',
        columns,
        paint,
      ),
    ),
  ];
}

function beforeNote(provenance: Change['provenance']): string {
  return provenance === 'before' ? ' (Already so before this change.)' : '';
}

function blockedText({ blocked, reason }: Change): string {
  const text = visible(blocked?.text ?? REASONS[reason]);
  const missing = (blocked?.ids ?? []).filter((id) => !text.includes(id));
  return missing.length === 0 ? text : `${text} (${missing.map(visible).join(', ')})`;
}

const CLASS_TONES: Readonly<Record<Observation['class'], Tone>> = {
  conflict: 'error',
  damaged: 'warn',
  unmanaged: 'warn',
  foreign: 'dim',
  kept: 'dim',
};

function observationParts(observations: readonly Observation[], columns: number, paint: Paint): string[][] {
  return (Object.keys(CLASS_TITLES) as Observation['class'][]).map((wanted) => {
    const found = observations.filter((observation) => observation.class === wanted);
    if (found.length === 0) return [];
    return [
      paint(CLASS_TONES[wanted], `${CLASS_TITLES[wanted]} (${found.length})`),
      ...found.flatMap(({ kind, id, remark, running, text }) =>
        item(
          running ? '>' : '·',
          `${kind} ${visible(id)} ${quoted(remark)}, ${running ? 'running' : 'not running'}: ${visible(text)}`,
          undefined,
          columns,
          paint,
        ),
      ),
    ];
  });
}

function overrideLines({ overrides }: Plan, columns: number, paint: Paint): string[] {
  const text = overridesText(overrides);
  if (text === undefined) return [];
  return hang('', `Let through by --override, for this plan alone: ${text}`, columns).map((line) =>
    paint('warn', line),
  );
}

function diagnosticLines(plan: Plan, columns: number, paint: Paint): string[] {
  const warnings = plan.diagnostics.filter(({ severity }) => severity !== 'error');
  return foldAlike(warnings).flatMap(({ diagnostic, left }) => {
    const { severity, code, message, hint, address, location } = diagnostic;
    const subject = address === undefined || message.includes(address) ? '' : `${visible(address)}: `;
    const head = `${severity === 'info' ? 'note' : severity}[${visible(code)}]: `;
    return [
      ...hang('', `${head}${subject}${visible(message)}`, columns).map((line, index) =>
        index === 0 ? line.replace(head, paint(severity === 'warning' ? 'warn' : 'dim', head)) : line,
      ),
      ...(location === undefined
        ? []
        : hang('  ', `at ${placeText(location)}`, columns).map((line) => paint('dim', line))),
      ...[...(hint === undefined ? [] : [visible(hint)]), ...leftWords(left)].flatMap((text) =>
        hang('  ', text, columns).map((line) => paint('dim', line)),
      ),
    ];
  });
}

function item(sign: string, text: string, tone: Tone | undefined, columns: number, paint: Paint): string[] {
  return hang(`  ${sign} `, text, columns).map((line, index) =>
    index === 0 && tone !== undefined ? line.replace(sign, paint(tone, sign)) : line,
  );
}
