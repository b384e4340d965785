import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import type { Plan } from '../../model/generated/plan.ts';
import { markerOf } from '../../model/marker.ts';
import type { LiveLabel, LiveState, LiveTask, LiveTemplate } from '../../model/resource.ts';
import { keptConfig } from '../task/compare-task.ts';
import type { Keep } from './origin-checks.ts';

/**
 * The desired state with the live values where they stay, so that one planner plans it, and guardrails, digest and exposure are
 * of what is carried out. `keeps`: by the addresses of changes in the plan.
 */
export function narrowed(
  desired: DesiredState,
  { changes }: Plan,
  live: LiveState,
  keeps: ReadonlyMap<string, Keep>,
): DesiredState {
  if (keeps.size === 0) return desired;
  const ids = new Map(changes.map(({ address, former }) => [address, String(former?.id ?? '')]));
  const byId = <Item extends { readonly id: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.id, item]));
  const each = <Want extends { readonly address: string }, Live extends { readonly id: string }>(
    wants: readonly Want[],
    lives: readonly Live[],
    kept: (want: Want, live: Live, keep: Keep) => Want,
  ) => {
    const found = byId(lives);
    return wants.map((want) => {
      const keep = keeps.get(want.address);
      const item = found.get(ids.get(want.address) ?? '');
      return keep === undefined || item === undefined ? want : kept(want, item, keep);
    });
  };
  return {
    ...desired,
    tasks: each(desired.tasks, live.tasks, keptTask),
    templates: each(desired.templates, live.templates, keptTemplate),
    labels: each(desired.labels, live.labels, keptLabel),
  };
}

function keptTask(want: DesiredTask, live: LiveTask, { paths, state }: Keep): DesiredTask {
  const kept = { ...want, ignoreChanges: [...want.ignoreChanges, ...paths] };
  return state ? atRest(kept, live) : kept;
}

/**
 * The switch stays where it is, and the mark says afterwards what it said before: whether an apply without the option would
 * start, hold or stop the task.
 */
function atRest(want: DesiredTask, live: LiveTask): DesiredTask {
  const { armed, rearm } = markerOf(live) ?? {};
  if (live.is_active) return { ...want, state: typeof armed === 'number' ? 'active' : 'manual' };
  // Never started: no mark remembers a stop.
  if (armed === undefined) return { ...want, state: 'paused' };
  // A start that is asked anew is still asked for as long as the marker has the former value.
  const { rearm: _, ...others } = want;
  return rearm === undefined ? others : { ...others, rearm };
}

function keptTemplate(want: DesiredTemplate, live: LiveTemplate, { paths }: Keep): DesiredTemplate {
  return {
    ...want,
    ...(paths.includes('name') ? { shownName: live.name.trim() } : {}),
    config: keptConfig({ config: want.config, ignoreChanges: paths }, live.config),
  };
}

function keptLabel(want: DesiredLabel, live: LiveLabel, { paths }: Keep): DesiredLabel {
  return {
    ...want,
    ...(paths.includes('name') ? { shownName: live.name.trim() } : {}),
    ...(paths.includes('sort_order') && live.sort_order !== null ? { sort_order: live.sort_order } : {}),
  };
}
