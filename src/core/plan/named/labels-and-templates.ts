import type { DesiredLabel, DesiredTemplate } from '../../desired/state.ts';
import type { Change, Field } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import { kindOf, LIMITS } from '../../model/kind.ts';
import type { LiveLabel, LiveNamed, LiveState, LiveTemplate } from '../../model/resource.ts';
import { configDifferences } from '../../model/shape.ts';
import { blockDraft, type Draft, draftOf, StepChain } from '../draft.ts';
import { idNotFound } from '../identity/task-match.ts';
import { createdConfig, field, fieldOfConfig, type LabelBook, type LabelRef } from '../task/compare-task.ts';
import { waitingFor } from './removal.ts';

type DesiredNamed = DesiredLabel | DesiredTemplate;

interface NamedPlan {
  readonly drafts: readonly Draft[];
  readonly unchanged: number;
  /** Live resources that manifests describe, with the addresses of these manifests. */
  readonly claimed: ReadonlyMap<LiveNamed, string>;
}

/**
 * Labels and templates are identified by their name on the service; what git does not name is left alone (DESIGN 3).
 * `previous_name` counts only while nothing has the new name.
 */
export function planNamed(desired: readonly DesiredNamed[], live: readonly LiveNamed[]): NamedPlan {
  const drafts: Draft[] = [];
  const claimed = new Map<LiveNamed, string>();
  let unchanged = 0;
  for (const want of desired) {
    const matched = matchNamed(want, live);
    const rival = typeof matched === 'object' ? claimed.get(matched) : undefined;
    if (typeof matched === 'object' && rival === undefined) {
      claimed.set(matched, want.address);
      const draft = alteration(want, matched);
      if (draft === undefined) unchanged += 1;
      else drafts.push(draft);
    } else if (typeof matched === 'string') {
      drafts.push(blockDraft(creation(want), 'id-not-found', matched, []));
    } else if (rival !== undefined) {
      const text = `${rival} is the same resource on the service. Rename one of the two.`;
      drafts.push(blockDraft(creation(want), 'conflict', text, []));
    } else drafts.push(creation(want));
  }
  return { drafts: afterRenames(drafts), unchanged, claimed };
}

/**
 * Names are unique on the service: a change that needs a name waits for the rename that frees it; a cycle is impossible
 * and blocked.
 */
function afterRenames(drafts: readonly Draft[]): readonly Draft[] {
  const frees = new Map<string, string>();
  const takes = new Map<string, string>();
  for (const { change } of drafts) {
    const name = change.fields.find(({ path }) => path === 'name');
    if (change.blocked !== null || name === undefined) continue;
    if (typeof name.before === 'string') frees.set(`${change.kind}/${name.before.trim()}`, change.address);
    if (typeof name.after === 'string') takes.set(change.address, `${change.kind}/${name.after}`);
  }
  const freedBy = (address: string) => frees.get(takes.get(address) ?? '');
  return drafts.map((draft) => {
    const { address } = draft.change;
    const needed = freedBy(address);
    if (needed === undefined || needed === address) return draft;
    const path = new Set([address]);
    for (let at: string | undefined = needed; at !== undefined; at = freedBy(at)) {
      if (path.has(at)) {
        const text = `Only ${needed} frees its new name, and they wait for each other. Rename one of them to a third name first.`;
        return blockDraft(draft, 'conflict', text, []);
      }
      path.add(at);
    }
    return { ...draft, requires: [...draft.requires, needed] };
  });
}

/** The live resource; undefined to create one; or a sentence why neither is possible. */
function matchNamed(want: DesiredNamed, live: readonly LiveNamed[]): LiveNamed | string | undefined {
  const named = (name: string) =>
    live.find((item) => item.collection === want.collection && item.name.trim() === name);
  if (want.id !== undefined) {
    const byId = live.find((item) => item.collection === want.collection && item.id === want.id);
    if (byId !== undefined) return byId;
  }
  const found =
    named(want.shownName) ?? (want.previousName === undefined ? undefined : named(want.previousName));
  if (found !== undefined || want.id === undefined) return found;
  const other = live.find(({ id }) => id === want.id);
  return idNotFound(want.id, 'resource', other);
}

function creation(want: DesiredNamed): Draft {
  const chain = new StepChain(want.address);
  chain.create(
    want.collection === 'label'
      ? { name: want.shownName, sort_order: want.sort_order }
      : { name: want.shownName, config: want.config },
  );
  const fields = [
    field(want, 'name', undefined, want.shownName),
    ...(want.collection === 'label'
      ? [field(want, 'sort_order', undefined, want.sort_order)]
      : createdConfig(kindOf(want.collection).config, want)),
  ];
  const { steps } = chain;
  return draftOf(want, undefined, { actions: ['create'], reason: 'not-on-service', fields }, { steps });
}

function alteration(want: DesiredNamed, live: LiveNamed): Draft | undefined {
  const renamed = live.name.trim() !== want.shownName;
  const { body, fields } =
    want.collection === 'label'
      ? labelDifference(want, live as LiveLabel)
      : templateDifference(want, live as LiveTemplate);
  if (!renamed && fields.length === 0) return undefined;
  const chain = new StepChain(want.address);
  chain.patch(live, { ...(renamed ? { name: want.shownName } : {}), ...body });
  const actions: Change['actions'] = renamed ? ['rename'] : [];
  if (fields.length > 0) actions.push('update');
  const name = renamed ? [field(want, 'name', live.name, want.shownName)] : [];
  const reason = renamed ? 'renamed' : 'differs';
  return draftOf(want, live, { actions, reason, fields: [...name, ...fields] }, { steps: chain.steps });
}

type NamedDifference = { readonly body: JsonObject; readonly fields: readonly Field[] };

/** If the service returns no sort_order, there is nothing to compare. */
function labelDifference(want: DesiredLabel, live: LiveLabel): NamedDifference {
  if (live.sort_order === null || live.sort_order === want.sort_order) return { body: {}, fields: [] };
  return {
    body: { sort_order: want.sort_order },
    fields: [field(want, 'sort_order', live.sort_order, want.sort_order)],
  };
}

function templateDifference(want: DesiredTemplate, live: LiveTemplate): NamedDifference {
  const { config } = kindOf(want.collection);
  const differences = configDifferences(config, live.config, want.config);
  // A legacy snapshot is renewed only with a real difference, as for tasks.
  if (!differences.some(({ legacy }) => legacy !== true)) return { body: {}, fields: [] };
  return {
    body: { config: want.config },
    fields: differences.map((difference) => fieldOfConfig(want, difference)),
  };
}

/**
 * Blocks creates beyond the limits of 20 labels and 1,000 templates; others wait for the first of the `removed` that
 * frees their place.
 */
export function withinLimits(
  drafts: readonly Draft[],
  live: LiveState,
  removed: readonly Draft[] = [],
): readonly Draft[] {
  let labels = LIMITS.labels - live.labels.length;
  let templates = LIMITS.templates - live.templates.length;
  const freed = removed.filter(({ change }) => change.blocked === null);
  return drafts.map((item) => {
    if (item.change.action !== 'create') return item;
    const isLabel = item.change.kind === 'label';
    const room = isLabel ? labels-- : templates--;
    if (room > 0) return item;
    const place = freed.findIndex(({ change }) => (change.kind === 'label') === isLabel);
    const [removal] = place < 0 ? [] : freed.splice(place, 1);
    if (removal !== undefined) return waitingFor(item, removal.change.address);
    const what = isLabel ? 'labels' : 'templates';
    const text = `The account has ${live[what].length} ${what}, and the service allows ${LIMITS[what]}. Delete an unused one, with a Removal or in the web application.`;
    return blockDraft(item, 'no-room', text, []);
  });
}

/** Resolves label names for tasks: live labels by id, labels to create by reference; blocked ones are not resolved. */
export function labelBook(
  desired: readonly DesiredLabel[],
  { drafts, claimed }: Pick<NamedPlan, 'drafts' | 'claimed'>,
  live: LiveState,
): LabelBook {
  const shown = new Map(desired.map((label) => [label.name, label.shownName]));
  const liveNames = new Map(live.labels.map(({ id, name }) => [id, name]));
  const ids = new Map([...claimed].map(([{ id }, address]) => [address, id]));
  const blocked = new Set(drafts.flatMap(({ change }) => (change.blocked === null ? [] : change.address)));
  const refs = new Map<string, LabelRef>();
  for (const { address, name } of desired) {
    const id = ids.get(address);
    if (!blocked.has(address)) refs.set(name, id === undefined ? { ref: address } : { id });
  }
  return {
    ref: (name) => refs.get(name),
    shownName: (name) => shown.get(name) ?? name,
    liveName: (id) => {
      const after = [...refs].find(([, ref]) => 'id' in ref && ref.id === id);
      return after === undefined ? (liveNames.get(id) ?? id) : (shown.get(after[0]) ?? id);
    },
  };
}
