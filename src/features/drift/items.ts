import type { DriftCommit, DriftField, DriftItem } from '../../model/generated/drift.ts';
import type { Change, Field, Observation } from '../../model/generated/plan.ts';
import { TASK_KINDS } from '../../model/kind.ts';
import { markerOf } from '../../model/marker.ts';
import { isBuyOnce, type LiveTask } from '../../model/resource.ts';
import { isSecretPath, SECRET } from '../../model/secret.ts';
import { shownField } from '../../plan/secrets.ts';
import { exposureOf } from '../../plan/stakes/exposure.ts';
import type { CommitMatch } from './commit-search.ts';

/** An item before it is decided whether the command fails for it. */
export type RawItem = Omit<DriftItem, 'fails' | 'ignored'>;

export type Said = Pick<DriftItem, 'class' | 'text'> &
  Partial<Pick<DriftItem, 'fields' | 'commit' | 'moved_on' | 'running'>>;

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
    updated_at: live?.updated_at ?? null,
    exposure: { before: stake, after: stake },
  };
}

/** A field, and the newest commit with its live value. Values from the environment are hidden, also those of earlier commits. */
export function driftField(
  item: Field,
  found: CommitMatch | undefined,
  secrets: readonly string[] = found?.secrets ?? [],
): DriftField {
  return {
    ...shownField(item, secrets),
    class: found === undefined ? 'changed' : 'pending',
    commit: commitOrNull(found),
  };
}

export function commitOrNull(found: CommitMatch | undefined): DriftCommit | null {
  return found?.commit ?? null;
}
