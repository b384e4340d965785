import type { DriftField, DriftItem } from '../../model/generated/drift.ts';
import type { Change, Observation } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { isSecretPath, SECRET } from '../../model/secret.ts';
import type { FieldVerdict, MadeBy } from '../../origin/verdict.ts';
import { shownField } from '../../plan/secrets.ts';
import { exposureOf } from '../../plan/stakes/exposure.ts';

/** An item before it is decided whether the command fails for it. */
export type RawItem = Omit<DriftItem, 'fails' | 'ignored'>;

export type Said = Pick<DriftItem, 'class' | 'text'> &
  Partial<Pick<DriftItem, 'fields' | 'commit' | 'moved_on' | 'earlier' | 'running'>>;

/** The item of an address. `live` is its task, if it exists. */
export function itemOf(change: Change, live: LiveTask | undefined, said: Said): RawItem {
  const remark = live === undefined ? null : live.remark;
  // The stake would reveal the hidden part of a config.
  const hidden = said.fields?.some(({ path, sensitive }) => sensitive && path.startsWith('config.')) === true;
  return {
    address: change.address,
    previous_address: change.previous_address,
    kind: change.kind,
    id: live?.id ?? (typeof change.former?.id === 'string' ? change.former.id : change.id),
    remark: remark !== null && isSecretPath(change.secrets ?? [], 'remark') ? SECRET : remark,
    running: live?.is_active === true,
    buy_once: live !== undefined && isBuyOnce(live.config),
    updated_at: live?.updated_at ?? null,
    exposure: hidden ? { before: '0', after: '0', secret: true } : change.exposure,
    fields: [],
    commit: null,
    moved_on: null,
    earlier: 0,
    ...said,
  };
}

/** The item of a task without a change. */
export function observedItem(observation: Observation, live: LiveTask | undefined): RawItem {
  const { class: kind, id, remark, running, text } = observation;
  const definition = TASK_KINDS.find(({ collection }) => collection === observation.kind);
  const stake =
    running && live !== undefined && definition !== undefined
      ? exposureOf(definition.config, live.config)
      : '0';
  const marker = markerOf(observation);
  const ours = kind === 'conflict' || kind === 'kept';
  return {
    // Nobody manages a task from git that prune.tasks keeps.
    class: kind === 'kept' ? 'unmanaged' : kind,
    address: ours && marker !== undefined ? `${observation.kind}/${marker.name}` : null,
    previous_address: null,
    kind: observation.kind,
    id,
    remark,
    running,
    buy_once: live !== undefined && isBuyOnce(live.config),
    text,
    fields: [],
    commit: null,
    moved_on: null,
    earlier: 0,
    updated_at: live?.updated_at ?? null,
    exposure: { before: stake, after: stake },
  };
}

const CLASSES: Readonly<Record<MadeBy, DriftField['class']>> = {
  git: 'pending',
  person: 'changed',
  both: 'both',
  unknown: 'unknown',
};

/** A field, and the commit that has git's value. Values that came from the environment at the base are hidden. */
export function driftField({ field, by, moved }: FieldVerdict, secrets: readonly string[]): DriftField {
  const { made_by: _, ...shown } = shownField(field, secrets);
  return { ...shown, class: CLASSES[by], commit: moved[0]?.commit ?? null };
}
