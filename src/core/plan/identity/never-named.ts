import type { DesiredState } from '../../desired/state.ts';
import { warning } from '../../diagnostics/diagnostic.ts';
import { idsBefore } from '../../model/change.ts';
import { ownMarkerOf } from '../../model/marker.ts';
import { acceptingText } from '../../model/named.ts';
import type { LiveState } from '../../model/resource.ts';
import { blockDraft, type Draft, isWorked } from '../draft.ts';

/**
 * Anyone who can edit a remark can write a marker of this project, and an owned task without a manifest is deleted.
 * Therefore a task whose name git never contained is deleted only if somebody approves the plan.
 */
export interface NeverNamed {
  /** Addresses of owned tasks that neither these manifests nor git's history, as far as it was read, names. */
  readonly addresses: ReadonlySet<string>;
  /** Why the history was not read completely, and what to do; undefined if it was. */
  readonly limit: { readonly text: string; readonly hint: string } | undefined;
  /** True if nobody approves the plan. */
  readonly unattended: boolean;
}

/** Addresses of tasks with the marker of this project that no manifest describes and that `prune` would delete or pause. */
export function orphanAddresses(
  desired: DesiredState,
  { tasks }: Pick<LiveState, 'tasks'>,
): ReadonlySet<string> {
  if (desired.pruneTasks === 'never') return new Set();
  const named = addressesNamedBy(desired);
  return new Set(
    tasks.flatMap((task) => {
      if (desired.pruneTasks === 'pause' && !task.is_active) return [];
      const marker = ownMarkerOf(task, desired);
      const address = `${task.collection}/${marker?.name}`;
      return marker === undefined || named.has(address) ? [] : [address];
    }),
  );
}

export function addressesNamedBy({ tasks, removals }: DesiredState): ReadonlySet<string> {
  return new Set([
    ...[...tasks, ...removals].map(({ address }) => address),
    ...tasks.flatMap(({ collection, previousName }) =>
      previousName === undefined ? [] : [`${collection}/${previousName}`],
    ),
  ]);
}

/** The sentence about such a task, wherever it is told. `read`: how far the history was read. */
export function neverNamedText(read = ''): string {
  return `It carries the marker of this project, and no manifest or commit names it${read}.`;
}

/**
 * The change, unchanged if git named the task; otherwise with a warning, and without operations if nobody approves the
 * plan.
 */
export function unlessNeverNamed(
  draft: Draft,
  never: NeverNamed | undefined,
  environment: string | null,
): Draft {
  const { change, warnings } = draft;
  if (never === undefined || !isWorked(draft) || !never.addresses.has(change.address)) return draft;
  const { address, exposure } = change;
  const { limit } = never;
  const marked = neverNamedText(limit && `, as far as the history can be read (${limit.text})`);
  const ways = [
    'To delete it, approve the plan: `tradeform apply` on a terminal, or `tradeform apply --auto-approve --expect DIGEST` with the digest of `tradeform plan`.',
    `To keep it: ${acceptingText([{ address }], environment)}, then commit.`,
    ...(limit === undefined ? [] : [`If git named it before: ${limit.hint}.`]),
  ].join(' ');
  const state = change.stops_trading ? `runs, with ${exposure.before} SOL at stake` : 'is paused';
  if (never.unattended) {
    const text = `${marked} It ${state}; it is left alone, because --auto-approve without --expect approves no such deletion. ${ways}`;
    return { ...blockDraft(draft, 'never-named', text, idsBefore(change)), warnings: [] };
  }
  const would = change.actions.includes('delete') ? 'deletes' : 'pauses';
  const text = `${address}: ${marked} It ${state}; this plan ${would} it, and so does the merge of a reviewed plan. An apply with --auto-approve alone leaves it.`;
  const known = warning('never-named', text, ways, { address });
  return { ...draft, change: { ...draft.change, reason: 'never-named' }, warnings: [...warnings, known] };
}
