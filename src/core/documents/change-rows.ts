import { byKey } from '../model/by-key.ts';
import { isUndone } from '../model/change.ts';
import { addDecimals, signedDifference } from '../model/decimal.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Field, Plan } from '../model/generated/plan.ts';
import type { ChangeResult } from '../model/generated/report.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../model/json.ts';
import { isTaskCollection, kindOf } from '../model/kind.ts';
import { bareNote, remarkOf } from '../model/marker.ts';
import { SECRET } from '../model/secret.ts';
import { configLeaves } from '../model/shape.ts';
import { costOf, isMultiplied, isRunning } from '../plan/stakes/cost.ts';
import {
  fieldWords,
  originText,
  shortWallet,
  tradeWords,
  undoText,
  type WalletNames,
  walletLines,
} from '../render/differences.ts';
import type { ChangeRow } from '../render/view.ts';
import {
  actionWords,
  BEFORE,
  REASONS,
  SHORT_REASONS,
  signOf,
  THIS_CHANGE,
  TONES,
  WARNINGS,
} from '../render/words.ts';
import { chainWords, frozenIn, indexOperations, type OperationIndex, settleOf } from './plan-summary.ts';

/** Fewer equal changes are easier to read one by one. */
const LEAST = 3;

/** Changes as rows, in their order. Changes that do the same for the same reason share a row. */
export function changeRows(changes: readonly Change[], plan: Plan, names: WalletNames): readonly ChangeRow[] {
  const operations = indexOperations(plan.operations);
  const warnings = byKey(plan.diagnostics, ({ address }) => address);
  const frozen = frozenIn(plan);
  const said = ({ address }: Change) => [
    ...(frozen.has(address) ? ['BLOCKED by the freeze'] : []),
    ...(warnings.get(address) ?? []).flatMap(({ code, severity }) =>
      severity === 'warning' ? (WARNINGS[code] ?? []) : [],
    ),
  ];
  const places = new Map(changes.map((change, place) => [change, place]));
  const equals = byKey(changes, (change) => keyOf(change, said(change)));
  return [...equals.values()]
    .flatMap(byRise)
    .flatMap((same) => (same.length < LEAST ? same.map((change) => [change]) : [same]))
    .flatMap(([first, ...others]) => (first === undefined ? [] : [{ first, all: [first, ...others] }]))
    .sort((a, b) => (places.get(a.first) ?? 0) - (places.get(b.first) ?? 0))
    .map(({ first, all }) => rowOf(first, all, said(first), { operations, names }));
}

/** Changes that a reviewer must see first. */
function isWeighty({ action, starts_trading: starts, stops_trading: stops, fields }: Change): boolean {
  return action === 'delete' || action === 'replace' || starts || stops || fields.some(isUndone);
}

/** A change of the mode can activate a different amount in each task. A larger rise must not be hidden in a sum. */
function byRise(same: readonly Change[]): readonly (readonly Change[])[] {
  const riseOf = ({ exposure: { before, after, secret } }: Change) =>
    secret === true ? '0' : signedDifference(before, after);
  const rises = byKey(same, riseOf);
  // A task without a rise, such as a paused one, is no reason to split the row.
  return [...rises.keys()].filter((rise) => Number(rise) !== 0).length > 1 ? [...rises.values()] : [same];
}

function keyOf(change: Change, warnings: readonly string[]): string {
  const { kind, actions, reason, held, starts_trading, stops_trading, provenance, exposure } = change;
  return JSON.stringify([
    [kind, actions, reason, held, starts_trading, stops_trading, provenance, warnings],
    change.previous_address,
    // An expensive change must not be hidden in a sum.
    isWeighty(change) ? [exposure.before, exposure.after, exposure.secret] : [],
    change.fields.map(({ path, before, after, sensitive, legacy, made_by: who, provenance: whose }) => [
      [path, sensitive, legacy, who, whose, before === undefined, after === undefined],
      // Grouping equal secret values would reveal that they are equal. Names and notes may differ.
      sensitive ? [SECRET] : costOf(path) === 'note' ? [] : [before, after],
    ]),
  ]);
}

function rowOf(
  first: Change,
  changes: readonly Change[],
  warnings: readonly string[],
  { operations, names }: { readonly operations: OperationIndex; readonly names: WalletNames },
): ChangeRow {
  const many = changes.length;
  const { shared: fields, differing } = sharedFields(first, changes.slice(1));
  const places = new Set(changes.map(({ fields: some }) => some.map(originText).find((text) => text !== '')));
  const sign = signOf(first);
  return {
    sign,
    tone: TONES[sign],
    action: actionWords(first),
    name: many === 1 ? first.address : `${many} ${first.kind}s`,
    members: many === 1 ? [] : changes.map(({ name }) => name),
    weighty: isWeighty(first),
    remark: many === 1 ? noteOf(first) : '',
    what: listed([
      whatOf(first, fields, operations),
      ...(many === 1 ? lostWords(lostFields(first), names) : []),
      ...(first.action === 'create' || first.action === 'delete'
        ? []
        : [...differing].map((path) => `${path} changed`)),
    ]),
    dear: whatOf(first, first.fields, operations, 0),
    warnings: [
      ...(changes.some(isMultiplied) ? ['is the decimal point right?'] : []),
      ...undoing(first, differing),
      ...warnings,
      ...(first.held ? ['held: stays paused'] : []),
    ],
    stake: stakeOf(changes),
    place: places.size === 1 ? first.fields.find(({ origin }) => origin !== undefined)?.origin : undefined,
    wallets: first.action === 'delete' ? [] : walletLines(fields, names),
    details: {
      subjects: changes.map((change) => ({
        name: change.address,
        running: isRunning(change),
        fields: change.fields,
      })),
      why: [
        REASONS[first.reason],
        ...(first.previous_address === null ? [] : [`Formerly ${first.previous_address}.`]),
        ...(first.held ? ['Held: it stays paused; only these fields are written.'] : []),
      ].filter((text) => text !== ''),
      fields: [
        ...(first.action === 'delete' ? changes.map(lostPart) : fieldParts(first, fields)),
        ...(differing.size === 0 || first.action === 'delete'
          ? []
          : changes.map((change) => ({
              title: `${change.address}:`,
              fields: change.fields.filter(({ path }) => differing.has(path)),
            }))),
      ],
      requests: chainWords(first, operations),
    },
  };
}

/** What a reviewer most needs to know, and nobody else can say. `differing`: paths of values that are not those of all tasks. */
function undoing({ fields, operations }: Change, differing: ReadonlySet<string>): readonly string[] {
  const undone = operations.length === 0 ? [] : fields.filter(isUndone);
  const isTold = undone.every(({ path }) => !differing.has(path));
  return undone.length === 0 ? [] : [undoText(undone, fields.length > 1, isTold).join('; ')];
}

/**
 * The fields that are equal in all members, with their place in the manifests if it is the same for all; and the paths of the
 * other fields.
 */
function sharedFields(first: Change, others: readonly Change[]) {
  const shared: Field[] = [];
  const differing = new Set<string>();
  first.fields.forEach((field, index) => {
    const { origin, ...rest } = field;
    const twins = others.flatMap((change) => change.fields[index] ?? []);
    const place = originText(field);
    if (twins.some((twin) => !isEqual(twin, field))) differing.add(field.path);
    else
      shared.push(origin !== undefined && twins.every((twin) => originText(twin) === place) ? field : rest);
  });
  return { shared, differing };
}

function isEqual(left: Field, right: Field): boolean {
  return jsonEqual(
    [left.before ?? null, left.after ?? null] as Json,
    [right.before ?? null, right.after ?? null] as Json,
  );
}

/** The name that people use for a task: the note of its remark. */
function noteOf({ kind, action, fields, former }: Change): string {
  if (kind === 'label' || kind.endsWith('-template')) return '';
  const remark = fields.find(({ path }) => path === 'remark');
  if (remark?.sensitive === true) return SECRET;
  // A changed note is among the changed fields.
  if (remark !== undefined && action !== 'create') return '';
  if (typeof remark?.after === 'string') return remark.after;
  return typeof former?.remark === 'string' ? bareNote(remarkOf({ remark: former.remark })) : '';
}

function listed(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}

function whatOf(
  change: Change,
  fields: readonly Field[],
  operations: OperationIndex,
  least?: number,
): string {
  const { action, reason, kind, previous_address: former } = change;
  const { starts_trading: starts, stops_trading: stops } = change;
  const isTask = kind !== 'label' && !kind.endsWith('-template');
  if (action === 'create') {
    return listed(['new', isTask && !starts ? 'paused' : '', ...tradeWords(fields)]);
  }
  const why = SHORT_REASONS[reason] ?? '';
  if (action === 'delete') return listed([change.stops_trading ? 'running' : '', why]);
  const settle = action === 'replace' ? settleOf(change, operations) : 0;
  const named = fields.filter(
    ({ path }) =>
      path !== 'state' &&
      !(path === 'target_wallet' && action === 'replace') &&
      !(path === 'name' && former !== null),
  );
  const isBoth = change.provenance === 'both';
  const own = named.filter(({ provenance }) => provenance !== 'before');
  const before = isBoth ? named.filter((field) => !own.includes(field)) : [];
  const says = action === 'start' || action === 'stop';
  const trades = says ? '' : starts ? 'starts trading' : stops ? 'stops trading' : '';
  return listed([
    why,
    trades,
    settle > 0 ? `${settle / 1000} s without trading` : '',
    former === null ? '' : `formerly ${former}`,
    fieldWords(isBoth ? own : named, least),
    before.length === 0 ? '' : `pending before: ${fieldWords(before, least)}`,
  ]);
}

type Lost = Pick<ChangeResult, 'kind' | 'actions' | 'former'> & { readonly secrets?: Change['secrets'] };

/** What a deleted task was: its target and its config. */
function lostFields({ kind, actions, former, secrets = [] }: Lost): readonly Field[] {
  const { config, target_wallet: target } = former ?? {};
  if (!actions.includes('delete') || !isTaskCollection(kind) || typeof target !== 'string') return [];
  const leaves = isObject(config) ? configLeaves(kindOf(kind).config, config as JsonObject) : [];
  return [
    { path: 'target_wallet', before: target },
    ...leaves.map(({ path, value }) => ({ path: `config.${path}`, before: value as Field['before'] })),
  ].map((field) => ({ ...field, sensitive: overlaps(secrets, field.path) }) as Field);
}

function lostWords([target, ...config]: readonly Field[], names: WalletNames): readonly string[] {
  return target === undefined
    ? []
    : [
        `target ${target.sensitive ? SECRET : shortWallet(String(target.before), names)}`,
        ...tradeWords(config),
      ];
}

export function toldFields(lost: Lost): readonly Field[] {
  return lostFields(lost).filter(({ path, before }) => TELLING.test(path) && before !== false);
}

function lostPart(change: Change, _: number, { length }: readonly Change[]) {
  const fields = [...change.fields, ...toldFields(change)];
  return { fields, ...(length === 1 ? {} : { title: `${change.address}:` }) };
}

/** Who it followed, how much it bought and where, and what sold. */
const TELLING =
  /^(?:target_wallet|config\.(?:buy_amount|buy_config_universal\.amount_sol|selected_dexes|(?:auto_sell|timed_strategy)\.enabled))$/;

function stakeOf(changes: readonly Change[]): string | undefined {
  if (changes.some(({ exposure }) => exposure.secret === true)) return SECRET;
  const before = addDecimals(changes.map(({ exposure }) => exposure.before));
  const after = addDecimals(changes.map(({ exposure }) => exposure.after));
  if (before === '0' && after === '0') return undefined;
  return before === after ? after : `${before} → ${after}`;
}

/** For a change that is partly this change: that part comes first. */
function fieldParts({ provenance }: Change, fields: readonly Field[]): ChangeRow['details']['fields'] {
  if (provenance !== 'both') return [{ fields }];
  const before = fields.filter((field) => field.provenance === 'before');
  const own = fields.filter((field) => field.provenance !== 'before');
  return [
    own.length === 0
      ? { title: 'This change only affects how it is done, or leaves part of it out.', fields: [] }
      : { title: `${THIS_CHANGE}:`, fields: own },
    ...(before.length === 0 ? [] : [{ title: `${BEFORE}:`, fields: before }]),
  ];
}
