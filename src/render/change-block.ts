import type { Change } from '../model/generated/plan.ts';
import { BEFORE, THIS_CHANGE } from './base-text.ts';
import { chainWords, type OperationIndex } from './chain-words.ts';
import { stakeText } from './exposure-lines.ts';
import { fieldLines, originText, wholeLines } from './field-lines.ts';
import { cells, hang } from './layout.ts';
import type { Paint, Tone } from './style.ts';
import { visible } from './untrusted.ts';
import { actionWords, REASONS, type Sign, signOf } from './words.ts';

const TONES: Readonly<Record<Sign, Tone>> = {
  '+': 'add',
  '-': 'remove',
  '±': 'change',
  '~': 'change',
  '>': 'start',
  '■': 'stop',
  '=': 'dim',
  '!': 'error',
};

export interface BlockOptions {
  readonly columns: number;
  readonly paint: Paint;
  readonly operations: OperationIndex;
}

/** One change: sign, address, what is done, why, the fields, and the requests in order. */
export function changeBlock(change: Change, { columns, paint, operations }: BlockOptions): string[] {
  const say = (text: string, tone?: Tone) =>
    hang('    ', text, columns).map((line) => (tone === undefined ? line : paint(tone, line)));
  const chain = chainWords(change, operations);
  return [
    ...heading(change, columns, paint),
    ...say(REASONS[change.reason], 'dim'),
    ...(change.previous_address === null ? [] : say(`formerly ${visible(change.previous_address)}`)),
    ...(change.held ? say('Held: it stays paused; only the fields below are written.', 'warn') : []),
    ...exposureLine(change).flatMap((text) => say(text)),
    ...fieldParts(change).flatMap(({ title, fields }) => [
      ...(title === undefined ? [] : say(title, 'dim')),
      ...bodyLines({ ...change, fields }, columns, paint),
    ]),
    ...(chain === '' ? [] : say(`requests: ${chain}`, 'dim')),
  ];
}

function heading(change: Change, columns: number, paint: Paint): string[] {
  const sign = signOf(change);
  const address = visible(change.address);
  const words = actionWords(change);
  const place = isWhole(change) ? firstPlace(change) : '';
  const left = `${sign} ${address}  ${words}`;
  const gap = columns - cells(left) - cells(place);
  const line = `${paint(TONES[sign], sign)} ${paint('strong', address)}  ${paint(TONES[sign], words)}`;
  if (place === '') return [line];
  return gap >= 2
    ? [`${line}${' '.repeat(gap)}${paint('dim', place)}`]
    : [line, paint('dim', `    at ${place}`)];
}

/** Created and deleted things are shown whole, in short lines. */
function isWhole(change: Change): boolean {
  return change.action === 'create' || change.action === 'delete';
}

function firstPlace(change: Change): string {
  return change.fields.map(originText).find((text) => text !== '') ?? '';
}

interface FieldPart {
  readonly title?: string;
  readonly fields: Change['fields'];
}

/** Of a change that is in part of this change: that part first. */
function fieldParts({ fields, provenance }: Change): readonly FieldPart[] {
  if (provenance !== 'both') return [{ fields }];
  const before = fields.filter((field) => field.provenance === 'before');
  const own = fields.filter((field) => field.provenance !== 'before');
  return [
    ...(own.length === 0
      ? [{ title: 'This change alters how it is done, or leaves something of it out.', fields: [] }]
      : [{ title: `${THIS_CHANGE}:`, fields: own }]),
    ...(before.length === 0 ? [] : [{ title: `${BEFORE}:`, fields: before }]),
  ];
}

function bodyLines(change: Change, columns: number, paint: Paint): string[] {
  if (change.action === 'create') return wholeLines(change.fields, '+', columns, paint);
  if (change.action === 'delete') return wholeLines(change.fields, '-', columns, paint);
  return fieldLines(change.fields, columns, paint);
}

function exposureLine({ exposure, starts_trading, stops_trading }: Change): string[] {
  const verb = starts_trading ? 'starts trading, ' : stops_trading ? 'stops trading, ' : '';
  if (verb === '' && exposure.before === exposure.after) return [];
  return [`${verb}at stake per trigger: ${stakeText(exposure)}`];
}
