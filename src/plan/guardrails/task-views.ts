import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { remarkOf } from '../../model/marker.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { keptConfig } from '../task/compare-task.ts';

/** Live labels by id and desired labels by their shown name, so that a live label has the name that manifests use. */
interface LabelNames {
  readonly live: Pick<LiveState, 'labels'>['labels'];
  readonly desired: Pick<DesiredState, 'labels'>['labels'];
}

/** A live task in the form of a manifest; `like` is the manifest that describes it, if there is one. */
export function liveTaskView(task: LiveTask, like: DesiredTask | undefined, labels: LabelNames): DesiredTask {
  const remark = remarkOf(task);
  const { collection, id, target_wallet, linked_wallets, config, is_active } = task;
  const name = like?.name ?? remark.marker?.name ?? id;
  return {
    address: `${collection}/${name}`,
    name,
    origin: () => undefined,
    ignoreChanges: [],
    adopt: 'auto',
    ...like,
    collection,
    state: is_active ? 'active' : 'paused',
    note: remark.type === 'damaged' ? task.remark : remark.note.trim(),
    label: labelName(task.risk_label_id, labels),
    target_wallet,
    ...(linked_wallets === undefined ? {} : { linked_wallets }),
    config,
  };
}

/** The manifest with the live values that `lifecycle.ignore_changes` keeps: the state after the plan. */
export function keptView(desired: DesiredTask, task: LiveTask, labels: LabelNames): DesiredTask {
  const { ignoreChanges } = desired;
  if (ignoreChanges.length === 0) return desired;
  const live = liveTaskView(task, desired, labels);
  const linked = live.linked_wallets ?? desired.linked_wallets;
  return {
    ...desired,
    ...(ignoreChanges.includes('remark') ? { note: live.note } : {}),
    ...(ignoreChanges.includes('label') ? { label: live.label } : {}),
    ...(ignoreChanges.includes('linked_wallets') && linked !== undefined ? { linked_wallets: linked } : {}),
    config: keptConfig(desired, task.config),
  };
}

function labelName(id: string | null, { live, desired }: LabelNames): string | null {
  if (id === null) return null;
  const shown = live.find((label) => label.id === id)?.name ?? id;
  return desired.find(({ shownName }) => shownName === shown)?.name ?? shown;
}
