import type { DesiredState, DesiredTask } from '../../../desired/state.ts';
import { turned } from '../../../documents/drift.ts';
import { hasWork } from '../../../documents/plan-summary.ts';
import { stakeOfRow } from '../../../documents/status.ts';
import { addressOrId } from '../../../model/address.ts';
import { idsOfChange, isUndone } from '../../../model/change.ts';
import { compareTexts } from '../../../model/compare-texts.ts';
import { compareDecimals } from '../../../model/decimal.ts';
import { overlaps } from '../../../model/field-path.ts';
import type { Change, Observation, Plan } from '../../../model/generated/plan.ts';
import type { StatusRow } from '../../../model/generated/status.ts';
import { given } from '../../../model/given.ts';
import { isTaskCollection, kindOf } from '../../../model/kind.ts';
import type { ProjectNames } from '../../../model/marker.ts';
import { isBuyOnce, type LiveState, type LiveTask } from '../../../model/resource.ts';
import { SECRET } from '../../../model/secret.ts';
import { type KnownTask, knownTask } from '../../../plan/identity/known-task.ts';
import { sortedFields } from '../../../plan/stakes/cost.ts';
import { isSecretStake } from '../../../plan/stakes/exposure.ts';
import { fieldWords } from '../../../render/differences.ts';
import { actionWords, offText, REASONS } from '../../../render/words.ts';

/**
 * Every task, live or only desired. Tasks that the plan would change, holds or leaves alone are described in the plan's words, so
 * that `status` and `plan` never disagree. First what runs without git, then the project's own tasks.
 */
export function statusRows(
  plan: Pick<Plan, 'changes' | 'observations'>,
  live: LiveState,
  desired: Pick<DesiredState, 'tasks'> & ProjectNames,
): readonly StatusRow[] {
  const changes = new Map(plan.changes.flatMap((change) => idsOfChange(change).map((id) => [id, change])));
  const observations = new Map(plan.observations.map((item) => [item.id, item]));
  const labels = new Map(live.labels.map(({ id, name }) => [id, name]));
  const tasks = new Map(desired.tasks.map((task) => [task.address as string, task]));
  const present = live.tasks.map((task) => {
    const known = knownTask(task, desired);
    const change = changes.get(task.id);
    const seen = observations.get(task.id);
    // Without a project, the name that a marker has is the best one.
    const { marker } = known;
    const named = desired.project === undefined && marker ? `${task.collection}/${marker.name}` : null;
    const address = change?.address ?? known.address ?? named;
    const { config } = kindOf(task.collection);
    const secrets = seen?.secrets ?? change?.secrets ?? tasks.get(address ?? '')?.secrets ?? [];
    return {
      address,
      kind: task.collection,
      id: task.id,
      owner: seen?.class === 'unmanaged' ? seen.class : known.owner,
      project: marker?.project ?? null,
      target: overlaps(secrets, 'target_wallet') ? SECRET : task.target_wallet,
      desired: tasks.get(address ?? '')?.state ?? ('none' as const),
      live: task.is_active ? ('running' as const) : ('paused' as const),
      since: task.updated_at,
      label: task.risk_label_id === null ? null : (labels.get(task.risk_label_id) ?? task.risk_label_id),
      exposure: isSecretStake(config, task.config, secrets) ? null : known.exposure,
      ...stateOf(known, change, seen),
      remark: overlaps(secrets, 'remark') ? SECRET : task.remark,
      ...given({ copy: seen?.copy }),
    } satisfies StatusRow;
  });
  const there = new Set(present.map(({ address }) => address));
  const missing = plan.changes
    .filter(({ kind, id, replaces_id: old }) => id === null && old === null && isTaskCollection(kind))
    .filter(({ address }) => !there.has(address))
    .map((change) => missingRow(change, tasks.get(change.address)));
  return [...present, ...missing].sort(SORTS.default);
}

type State = Pick<StatusRow, 'state' | 'actions' | 'text'>;

function stateOf(known: KnownTask, change: Change | undefined, seen: Observation | undefined): State {
  if (change !== undefined && seen?.class !== 'conflict') return changeState(change, known);
  if (seen === undefined)
    return { state: known.owner === 'owned' ? 'ok' : 'left-alone', actions: [], text: '' };
  const { text } = seen;
  if (seen.class === 'kept') return { state: 'kept', actions: [], text };
  return { state: seen.class === 'conflict' ? 'blocked' : 'left-alone', actions: [], text };
}

function changeState(change: Change, known: KnownTask | undefined): State {
  const actions = change.actions.filter((action) => action !== 'none');
  if (change.blocked !== null) return { state: 'blocked', actions: [], text: change.blocked.text };
  if (actions.includes('finish')) return { state: 'pending', actions, text: REASONS[change.reason] };
  if (change.held && known !== undefined && change.action !== 'replace') {
    const also = hasWork(change) ? ` An apply would still do: ${actionWords(change)}.` : '';
    return {
      state: 'held',
      actions,
      text: `${offText(known.marker?.armed, isBuyOnce(known.task.config))}${also}`,
    };
  }
  // Of what is missing, these are all fields.
  const fields = known === undefined ? [] : sortedFields(change.fields);
  const edits = fields.filter(isUndone);
  const rest = fieldWords(fields.filter((field) => !isUndone(field)));
  const why = [edits.length === 0 ? REASONS[change.reason] : '', rest].filter(Boolean).join(' ');
  const text = [
    ...(edits.length === 0 ? [] : [`somebody changed ${fieldWords(edits.map(turned))}`]),
    ...(edits.length > 0 && why === '' ? [] : [`${actions.join(', ') || 'update'}: ${why}`]),
  ].join('; ');
  return { state: 'differs', actions, text };
}

function missingRow(change: Change, wanted: DesiredTask | undefined): StatusRow {
  return {
    address: change.address,
    kind: change.kind as LiveTask['collection'],
    id: null,
    owner: 'none',
    project: null,
    target: wanted?.target_wallet ?? '',
    desired: wanted?.state ?? 'none',
    live: 'missing',
    since: null,
    label: null,
    exposure: null,
    ...changeState(change, undefined),
    remark: '',
  };
}

type Compare = (left: StatusRow, right: StatusRow) => number;

/** The order of states: first those that need attention. */
const STATES: readonly StatusRow['state'][] = [
  'blocked',
  'held',
  'pending',
  'differs',
  'kept',
  'left-alone',
  'ok',
];

const byName: Compare = (a, b) => compareTexts(addressOrId(a), addressOrId(b));
const byState: Compare = (a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state);

/** `--sort`. Without it, what runs without git comes first. */
export const SORTS = {
  default: (a, b) => rank(a) - rank(b) || byState(a, b) || compareStakes(a, b) || byName(a, b),
  /** The most expensive first. A hidden amount counts as the most expensive. */
  sol: (a, b) => compareStakes(a, b) || byName(a, b),
  /** The latest change first. */
  since: (a, b) => (b.since ?? '').localeCompare(a.since ?? '') || byName(a, b),
  state: (a, b) => byState(a, b) || byName(a, b),
} as const satisfies Readonly<Record<string, Compare>>;

export type Sort = Exclude<keyof typeof SORTS, 'default'>;

function compareStakes(a: StatusRow, b: StatusRow): number {
  const [one, other] = [stakeOfRow(a), stakeOfRow(b)];
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  return compareDecimals(other, one);
}

function rank(row: StatusRow): number {
  const own = row.owner === 'owned' || row.owner === 'none' || row.state === 'differs';
  return own ? 1 : row.live === 'running' && row.owner === 'unmanaged' ? 0 : 2;
}

/** The options that choose rows. */
export interface StatusFilter {
  readonly kind?: readonly string[];
  readonly label?: readonly string[];
  readonly running?: boolean;
  readonly paused?: boolean;
  readonly held?: boolean;
  readonly differs?: boolean;
  readonly unmanaged?: boolean;
}

/** A row must satisfy every option that is given. Several kinds or labels allow any of them. */
export function filterRows(rows: readonly StatusRow[], filter: StatusFilter): readonly StatusRow[] {
  const { kind = [], label = [] } = filter;
  return rows.filter(
    (row) =>
      (kind.length === 0 || kind.includes(row.kind)) &&
      (label.length === 0 || (row.label !== null && label.includes(row.label))) &&
      (!filter.running || row.live === 'running') &&
      (!filter.paused || row.live === 'paused') &&
      (!filter.held || row.state === 'held' || row.state === 'pending') &&
      (!filter.differs || ['pending', 'blocked', 'differs'].includes(row.state)) &&
      (!filter.unmanaged || !['owned', 'none'].includes(row.owner)),
  );
}
