import { compareTexts } from '../../model/compare-texts.ts';
import type { Change, Operation } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { isTaskCollection, LABEL_KIND, TASK_KINDS, TEMPLATE_KINDS } from '../../model/kind.ts';
import { type Draft, type Need, operationId } from '../draft.ts';

const COLLECTIONS: readonly string[] = [LABEL_KIND, ...TEMPLATE_KINDS, ...TASK_KINDS].map(
  ({ collection }) => collection,
);

/** The order in which people read changes: labels, templates, then tasks by kind and name. An address occurs once. */
export function byAddress(
  a: { kind: string; address: string },
  b: { kind: string; address: string },
): number {
  const rank = COLLECTIONS.indexOf(a.kind) - COLLECTIONS.indexOf(b.kind);
  return rank || compareTexts(a.address, b.address);
}

/**
 * Operations in the order in which chains should begin: labels and templates before the tasks that use them; then
 * changes that stop trading before those that start it, except for tasks that an interrupted apply left paused;
 * removals of labels and templates last. `needs` contains the dependencies that are mandatory.
 */
export function operationsOf(
  drafts: readonly Draft[],
  createNeeds: ReadonlyMap<string, readonly Need[]>,
): { readonly changes: Change[]; readonly operations: Operation[] } {
  const ids = ({ change: { address }, steps }: Draft) =>
    steps.map((_, index) => operationId({ address, step: index + 1 }));
  const changes = drafts.map((draft) => ({ ...draft.change, operations: ids(draft) }));
  const begun = [...drafts].sort((a, b) => byTurn(a.change, b.change));
  const operations = begun.flatMap((draft) =>
    draft.steps.map((step, index): Operation => {
      const first =
        index === 0
          ? [...draft.requires.map((address) => ({ address, step: 1 })), ...(draft.after ?? [])]
          : [];
      const room = step.verb === 'create' ? (createNeeds.get(draft.change.address) ?? []) : [];
      const { address } = draft.change;
      const { settle_ms, read_first, ...what } = step;
      return {
        ...{ id: operationId({ address, step: index + 1 }), address, ...what },
        needs: [...new Set([...first, ...room].map(operationId))].sort(),
        ...given({ settle_ms, read_first }),
      };
    }),
  );
  return { changes, operations };
}

/** The order in which the chains of two changes begin. */
export function byTurn(a: Draft['change'], b: Draft['change']): number {
  return rank(a) - rank(b) || byAddress(a, b);
}

function rank(change: Draft['change']): number {
  if (change.action === 'delete' && !isTaskCollection(change.kind)) return 7;
  if (change.kind === 'label') return 0;
  if (change.kind.endsWith('-template')) return 1;
  if (change.stops_trading || change.action === 'delete') return 2;
  if (change.actions.includes('finish')) return 3;
  if (change.action === 'replace') return 5;
  return change.starts_trading ? 6 : 4;
}
