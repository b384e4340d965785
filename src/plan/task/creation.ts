import type { DesiredTask } from '../../desired/state.ts';
import type { JsonObject } from '../../model/json.ts';
import { kindOf } from '../../model/kind.ts';
import { type Draft, draftOf, type Mark, StepChain } from '../draft.ts';
import { tradingOf } from '../stakes/exposure.ts';
import { requiredLabels } from './change-in-place.ts';
import { createdFields, field, labelValue, wantedOf } from './compare-task.ts';
import { type ComparedTask, remarkFor } from './patch.ts';
import { type TaskContext, writtenVersion } from './task-context.ts';

/** The body that creates a desired task; the service always creates it paused. */
export function createBody(
  { kind, desired, wanted, version }: Pick<ComparedTask, 'kind' | 'desired' | 'wanted' | 'version'>,
  mark: Mark,
  replaces: string | null = null,
): JsonObject {
  return {
    remark: remarkFor({ desired, wanted, version }, mark, replaces),
    target_wallet: desired.target_wallet,
    ...(kind.linkedWallets ? { linked_wallets: [...(wanted.linked ?? [])] } : {}),
    ...(wanted.label === null ? {} : { risk_label_id: labelValue(wanted.label) }),
    config: wanted.config,
  };
}

/** A desired task that is not on the service yet. */
export function createTask(desired: DesiredTask, context: TaskContext): Draft {
  const kind = kindOf(desired.collection);
  const wanted = wantedOf(desired, undefined, context.labels);
  const chain = new StepChain(desired.address);
  const runs = desired.state === 'active';
  const version = writtenVersion(desired, undefined, context, true);
  chain.create(createBody({ kind, desired, wanted, version }, runs ? 'pending' : 'none'));
  if (runs) chain.resume('created');
  return draftOf(
    desired,
    undefined,
    {
      actions: runs ? ['create', 'start'] : ['create'],
      reason: 'not-on-service',
      ...tradingOf(kind, undefined, runs ? wanted.config : undefined),
      fields: [
        field(desired, 'state', undefined, runs ? 'active' : 'paused'),
        ...createdFields(kind, desired, context.labels),
      ],
    },
    {
      steps: chain.steps,
      requires: requiredLabels(wanted, { label: true }),
      takesTarget: desired.target_wallet,
    },
  );
}
