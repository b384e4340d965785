import { addDecimals, signedDifference } from '../model/decimal.ts';
import type { Base, Change, Operation, Plan } from '../model/generated/plan.ts';
import { count } from '../model/named.ts';
import { isEmptyPlan, isRefused } from '../plan/plan.ts';
import { hasOwnDifference } from '../plan/review/provenance.ts';
import { costOf } from '../plan/stakes/cost.ts';
import { isBlockedByFreeze } from '../plan/stakes/frozen.ts';
import { visible } from '../render/untrusted.ts';
import { ACTIONS } from '../render/words.ts';

/** True if apply would send a request for this change. */
export function hasWork(change: Change): boolean {
  return change.operations.length > 0;
}

/** Changes that are carried out. Blocked ones have their own section. */
export function workedChanges({ changes }: Pick<Plan, 'changes'>): readonly Change[] {
  return changes.filter((change) => change.blocked === null && hasWork(change));
}

/** Addresses of changes that a freeze blocks. */
export function frozenIn(plan: Plan): ReadonlySet<string> {
  const isFrozen = plan.diagnostics.some(({ code }) => code === 'frozen');
  const blocked = isFrozen ? workedChanges(plan).filter(isBlockedByFreeze) : [];
  return new Set(blocked.map(({ address }) => address));
}

/** `1 to change · 0 to start · 0 to stop · 0 to delete · 0 blocked`, `Refused: max_factor. The plan: …`, `No changes.` */
export function verdictText(plan: Plan): string {
  const { summary, diagnostics } = plan;
  const isEmpty = isEmptyPlan(plan);
  if (isRefused(plan))
    return `Refused: ${refusedBy(plan.diagnostics).join(', ')}.${isEmpty ? '' : ` The plan: ${countsText(plan)}.`}`;
  if (isIdle(plan)) return idleText(plan);
  if (!isEmpty) return countsText(plan);
  const frozen = diagnostics.find(({ code }) => code === 'frozen');
  if (frozen !== undefined) return `${frozen.message} No changes.`;
  if (plan.selection !== undefined) return 'No changes among the selected addresses.';
  if (summary.blocked > 0) return `No changes. Nothing can be done: ${summary.blocked} blocked.`;
  if (!plan.complete) return 'No changes to what could be read.';
  return plan.only === undefined ? 'No changes.' : 'No changes. Nothing that git changed is left to do.';
}

/** With a base, and nothing of what is planned is due to the change under review. */
export function isIdle(plan: Plan): boolean {
  const { base, complete, changes } = plan;
  if (base === undefined || base.digest === null || base.settled.length > 0) return false;
  const stays = changes.every(({ held, provenance }) => !held || provenance === 'before');
  return complete && stays && !isRefused(plan) && !hasOwnDifference(plan);
}

function idleText(plan: Plan): string {
  const { length } = workedChanges(plan);
  const before = length === 0 ? '' : ` ${count(length, 'change was', 'changes were')} pending before.`;
  return `This change does nothing.${before}`;
}

/** The result in a few words, for a title: `+0.5 SOL at stake: 1 change`. */
export function headlineText(plan: Plan): string {
  if (isRefused(plan)) return `Refused: ${refusedBy(plan.diagnostics).join(', ')}`;
  if (isIdle(plan) || isEmptyPlan(plan)) return verdictText(plan);
  const [worked, frozen] = [workedChanges(plan), frozenIn(plan)];
  const own = worked.filter(({ provenance }) => provenance !== 'before');
  const free = own.filter(({ address }) => !frozen.has(address));
  const counts = KINDS.flatMap((kind) => {
    const { length } = free.filter((change) => kindOf(change) === kind);
    return length === 0 ? [] : [count(length, kind === 'delete' ? 'deletion' : kind)];
  });
  const blocked = free.length === own.length ? [] : [`${own.length - free.length} blocked by a freeze`];
  const { own: rise } = risesOf(plan);
  return `${rise === '0' ? '' : `${rise} SOL at stake: `}${[...counts, ...blocked].join(', ')}`;
}

/** `-0.2`, `+0.6`: the rise of the sum by the change under review, and by what was pending before. */
export function risesOf(plan: Plan): { readonly own: string; readonly before: string } {
  const [worked, frozen] = [workedChanges(plan), frozenIn(plan)];
  const staked = worked.filter(
    (change) => !frozen.has(change.address) && change.provenance !== 'before' && movesStake(change),
  );
  const total = signedDifference(plan.exposure.before, plan.exposure.after);
  if (staked.length === worked.length) return { own: total, before: '0' };
  const sum = (side: 'before' | 'after') => addDecimals(staked.map(({ exposure }) => exposure[side]));
  const [before, after] = [sum('before'), sum('after')];
  return {
    own: signedDifference(before, after),
    before: signedDifference(
      addDecimals([plan.exposure.before, after]),
      addDecimals([plan.exposure.after, before]),
    ),
  };
}

/** False if only what was pending before moves the stake of a change. */
function movesStake({ provenance, fields }: Change): boolean {
  const own = fields.filter((field) => field.provenance !== 'before');
  return (
    provenance !== 'both' || own.some(({ path }) => ['amounts', 'tips', 'switch'].includes(costOf(path)))
  );
}

/** The guardrails and the codes of other errors, each once. */
export function refusedBy(diagnostics: Plan['diagnostics']): string[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const named = errors.map(({ code }) =>
    code.startsWith('guardrail-') ? code.slice('guardrail-'.length).replaceAll('-', '_') : code,
  );
  return [...new Set(named)];
}

const KINDS = ['change', 'start', 'stop', 'delete'] as const;

function kindOf({ action, starts_trading: starts, stops_trading: stops }: Change): (typeof KINDS)[number] {
  return action === 'delete' ? 'delete' : starts ? 'start' : stops ? 'stop' : 'change';
}

const has = (action: Change['action']) => (change: Change) => change.actions.includes(action);

/** What else is told about the changes of a kind. */
const MANNERS: readonly (readonly [words: string, is: (change: Change) => boolean])[] = [
  ['new', has('create')],
  ['replaced', ({ action }) => action === 'replace'],
  ['adopted: only the remark', (change) => has('adopt')(change) && !has('update')(change)],
  ['adopted and changed', (change) => has('adopt')(change) && has('update')(change)],
  ['taken over', has('take-over')],
  ['renamed', has('rename')],
  ['released', has('release')],
  ['interrupted before', has('finish')],
  ['running', ({ action, stops_trading: stops }) => action === 'delete' && stops],
];

/** More are not named. */
const MOST_BLOCKED = 2;

/** Each change is counted once, always in the same order and with zeros. */
function countsText(plan: Plan): string {
  const frozen = frozenIn(plan);
  const free = workedChanges(plan).filter(({ address }) => !frozen.has(address));
  const parts = KINDS.map((kind) => {
    const some = free.filter((change) => kindOf(change) === kind);
    const manners = MANNERS.flatMap(([words, is]) => {
      const { length } = some.filter(is);
      return length === 0 ? [] : [length === some.length ? words : `${length} ${words}`];
    });
    return `${some.length} to ${kind}${manners.length === 0 ? '' : ` (${manners.join(', ')})`}`;
  });
  const blocked = plan.summary.blocked + frozen.size;
  const names = plan.changes.flatMap(({ address, blocked: by }) => (by === null ? [] : [address]));
  // The note of a freeze names others: these would look like all.
  const which = blocked === 0 || blocked > MOST_BLOCKED || frozen.size > 0 ? '' : `: ${names.join(', ')}`;
  return [...parts, `${blocked} blocked${which}`].join(' · ');
}

/** `6 with a short pause`, `longest wait 60 s`: how long tasks do not trade. */
function pauseFacts(plan: Plan): readonly string[] {
  const index = indexOperations(plan.operations);
  const worked = workedChanges(plan);
  const pausing = worked.filter((change) => pausesForAMoment(change, index)).length;
  const longest = Math.max(0, ...worked.map((change) => settleOf(change, index)));
  return [
    ...(pausing === 0 ? [] : [`${pausing} with a short pause`]),
    ...(longest === 0 ? [] : [`longest wait ${longest / 1000} s`]),
  ];
}

/** `2 with a short pause`, `2 held`, `3 left`: what else is told in the head. */
export function restFacts(plan: Plan): readonly string[] {
  const { summary, left = [], observations, changes } = plan;
  const released = changes.filter(
    ({ action, blocked, former }) => action === 'release' && blocked === null && former?.is_active === true,
  );
  const damaged = observations.filter((item) => item.class === 'damaged').length;
  const before = workedChanges(plan).filter(({ provenance }) => provenance === 'before');
  const counts = [
    [before.length, 'pending before this change'],
    [released.length, `released ${released.length === 1 ? 'task trades' : 'tasks trade'} on`],
    [summary.held, 'held'],
    [left.length, 'left'],
    [observations.filter((item) => item.running && item.class === 'kept').length, 'kept without a manifest'],
    [damaged, damaged === 1 ? 'damaged marker' : 'damaged markers'],
  ] as const;
  const rest = counts.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
  return [...pauseFacts(plan), ...rest];
}

/** `Only: sniper/a; without: sniper/b`: which part of everything was planned. Undefined for everything. */
export function selectionText({ selection }: Pick<Plan, 'selection'>): string | undefined {
  if (selection === undefined) return undefined;
  const { targets, excludes, left_out: leftOut = 0 } = selection;
  return [
    ...(targets.length === 0 ? [] : [`Only: ${targets.join(', ')}`]),
    ...(excludes.length === 0
      ? []
      : [`${targets.length === 0 ? 'Without' : 'without'}: ${excludes.join(', ')}`]),
    ...(leftOut === 0 ? [] : [`${count(leftOut, 'other change')} left out`]),
  ].join('; ');
}

/** `main (1a2b3c4)`: the name of a base, with its commit if that adds information. A whole hash as a name is shortened. */
export function baseName({ revision, commit }: Pick<Base, 'revision' | 'commit'>): string {
  const name = revision.replace(/^([0-9a-f]{7})[0-9a-f]{33,}/, '$1');
  return commit.startsWith(name) ? name : `${name} (${commit.slice(0, 7)})`;
}

/** `update, start at the base, nothing left to do`, `config.buy_amount stays as it is on the service`. */
export function settledText({ actions, fields }: Base['settled'][number]): string {
  if (fields !== undefined)
    return `${fields.join(', ')} ${fields.length === 1 ? 'stays as it is' : 'stay as they are'} on the service`;
  const words = actions.filter((action) => action !== 'none').map((action) => ACTIONS[action].word);
  return `${words.length === 0 ? 'held or blocked' : words.join(', ')} at the base, nothing left to do`;
}

/**
 * Deletions and replacements take the provenance of the change. Starts and stops take that of the field that causes them, or of
 * the change if no field does.
 */
export function isBefore({ action, provenance, fields }: Change): boolean {
  if (action === 'delete' || action === 'replace') return provenance === 'before';
  const state = fields.find(({ path }) => path === 'state');
  return (state?.provenance ?? provenance) === 'before';
}

/** Operations by id. The `operations` of a change are such ids. */
export type OperationIndex = ReadonlyMap<string, Operation>;

export function indexOperations(operations: readonly Operation[]): OperationIndex {
  return new Map(operations.map((operation) => [operation.id, operation]));
}

/** `mark → pause → patch → resume, one pause, after label/high-risk`. Empty for a change without operations. */
export function chainWords(change: Change, index: OperationIndex): string {
  const chain = chainOf(change, index);
  if (chain.length === 0) return '';
  const steps = chain.flatMap(({ verb, read_first }) => (read_first === true ? ['read', verb] : [verb]));
  const settle = settleOf(change, index);
  const others = othersNeeded(change, chain, index);
  return [
    steps.join(' → '),
    ...(pausesForAMoment(change, index) ? ['one pause'] : []),
    ...(settle > 0
      ? [`waits ${settle / 1000} s ${steps.includes('pause') ? 'after the pause' : 'before the delete'}`]
      : []),
    ...(others.length > 0 ? [`after ${others.join(', ')}`] : []),
  ].join(', ');
}

function chainOf({ operations }: Change, index: OperationIndex): readonly Operation[] {
  return operations.flatMap((id) => index.get(id) ?? []);
}

/** A running task is paused and started again. */
function pausesForAMoment(change: Change, index: OperationIndex): boolean {
  const steps = chainOf(change, index).map(({ verb }) => verb);
  const paused = steps.indexOf('pause');
  return change.action !== 'replace' && paused >= 0 && steps.lastIndexOf('resume') > paused;
}

/** Milliseconds that the change waits for execution nodes. */
export function settleOf(change: Change, index: OperationIndex): number {
  return chainOf(change, index).reduce((sum, { settle_ms: settle = 0 }) => sum + settle, 0);
}

const MOST_NAMED = 3;

function othersNeeded(change: Change, chain: readonly Operation[], index: OperationIndex): string[] {
  const addresses = chain
    .flatMap((operation) => operation.needs)
    .map((id) => index.get(id)?.address ?? id)
    .filter((address) => address !== change.address);
  const named = [...new Set(addresses)].map(visible);
  const rest = named.length - MOST_NAMED;
  return rest > 0 ? [...named.slice(0, MOST_NAMED), count(rest, 'other')] : named;
}
