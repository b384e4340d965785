import { buildChains } from '../act/chains.ts';
import { plannedResources } from '../act/predict.ts';
import type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from '../desired/state.ts';
import { versionDigest } from '../desired/version.ts';
import { parsePath } from '../manifest/spans.ts';
import { type Address, bareName, NAME_PATTERN } from '../model/address.ts';
import { byKey } from '../model/by-key.ts';
import { resourcesBefore } from '../model/change.ts';
import { compareDecimals, isDecimal, signedDifference } from '../model/decimal.ts';
import { overlaps } from '../model/field-path.ts';
import type { Change, Operation, Plan, PlanDiagnostic, PlanExposure } from '../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../model/json.ts';
import { isTaskCollection, KINDS, kindOf } from '../model/kind.ts';
import { formatRemark, formatVersion, markerOf, remarkOf } from '../model/marker.ts';
import {
  isLabel,
  isTask,
  type LiveLabel,
  type LiveResource,
  type LiveState,
  type LiveTask,
  type LiveTemplate,
} from '../model/resource.ts';
import { currentConfig } from '../model/shape.ts';
import { type Draft, placeholder } from '../plan/draft.ts';
import { NO_GUARDRAILS } from '../plan/guardrails/compiled.ts';
import { NO_OPTIONS, type PlanInput } from '../plan/input.ts';
import { afterRemovals } from '../plan/named/removal.ts';
import { byAddress, operationsOf, orderRemovals } from '../plan/order/operations.ts';
import { makeRoom } from '../plan/order/quota-and-targets.ts';
import { inTurn } from '../plan/order/turn.ts';
import { compareAll, summarise } from '../plan/plan.ts';
import { stakesOf } from '../plan/stakes/stakes.ts';
import { totalExposure } from '../plan/stakes/total-exposure.ts';

/**
 * Why a plan document is not what tradeform plans. Undefined if each change, with all that it shows and does, is what the planner
 * makes of some manifest and of the resources that the change shows, and if the document does nothing else. People read the
 * changes, and requests are made from the operations. Whoever edits a document can compute its checksum and digest anew, so a saved
 * plan is checked by this before it is used, and the resources that it shows are compared with the live ones (`checkFresh`).
 */
export function contradictionIn(plan: Plan): string | undefined {
  const { changes, operations, observations, summary } = plan;
  if (changes.some((change, index) => index > 0 && byAddress(changes[index - 1] ?? change, change) >= 0))
    return 'its changes are not in order';
  const order = inTurn(changes, operations).map(({ id }) => id);
  if (order.join() !== operations.map(({ id }) => id).join())
    return 'its operations are not those of its changes';
  const chains = byKey(operations, ({ address }) => address);
  const told = byKey(plan.diagnostics, ({ address }) => address ?? '');
  const drafts: Draft[] = [];
  for (const change of changes) {
    const { address } = change;
    const planned = ofChange(change, chains.get(address) ?? [], plan);
    if (typeof planned === 'string') return `${address}: ${planned}`;
    const known = (told.get(address) ?? []).map(spoken);
    const untold = planned?.warnings.find((one) => !known.includes(spoken(one)));
    if (untold !== undefined) return `${address}: its ${untold.severity} ${untold.code} is missing`;
    if (planned !== undefined) drafts.push(planned);
  }
  const counted = summarise(changes, observations, summary.unchanged);
  if (!jsonEqual({ ...summary }, { ...counted }) || !addsUp(plan))
    return 'its totals are not those of its changes';
  return waitsIn(plan, drafts);
}

function spoken({ severity, code, message, hint }: PlanDiagnostic): string {
  return [severity, code, message, hint].join('\n');
}

/** The draft of which the change is made; undefined if it is blocked, and a text if there is none. */
function ofChange(change: Change, chain: readonly Operation[], plan: Plan): Draft | string | undefined {
  const { address, kind, name, blocked, fields, exposure, secrets = [] } = change;
  if (address !== `${kind}/${name}` || (isTaskCollection(kind) && !NAME_PATTERN.test(name)))
    return 'its name is another one';
  if (fields.some(({ path, sensitive }) => sensitive !== overlaps(secrets, path)))
    return 'what it hides is not what it calls secret';
  if (blocked !== null) {
    // It only says what it would do.
    const idle = change.actions.join() === 'none' && !change.starts_trading && !change.stops_trading;
    return idle && chain.length === 0 && exposure.before === exposure.after
      ? undefined
      : 'it is blocked, and does something';
  }
  const present = plannedResources(change);
  if (present.length < resourcesBefore(change).length) return 'it shows a resource that cannot be read';
  for (const input of inputsFor(change, chain, present, plan)) {
    const draft = compareAll(input).drafts.find((one) => one.change.address === change.address);
    if (draft !== undefined && isSame(draft, change, chain)) return draft;
    const otherOrder = draft?.withoutRoom?.();
    if (otherOrder !== undefined && isSame(otherOrder, change, chain)) return otherOrder;
  }
  return 'from what it shows, tradeform plans something else';
}

/** Each operation waits at least for what its change needs. For places, and for targets that only may be unique, the file counts. */
function waitsIn(plan: Plan, drafts: readonly Draft[]): string | undefined {
  try {
    buildChains(plan, () => 0);
  } catch (error) {
    return (error as Error).message;
  }
  const live = liveWith(plan.changes.flatMap(plannedResources), plan.service);
  const removed = drafts.filter(
    ({ change }) => change.reason === 'removal' && !isTaskCollection(change.kind),
  );
  const selected = drafts.flatMap((draft) =>
    isTaskCollection(draft.change.kind) ? [draft] : afterRemovals([draft], removed),
  );
  const holders = live.tasks.flatMap(({ collection, id, target_wallet: target }) =>
    kindOf(collection).uniqueTarget ? [{ collection, id, target, unique: true }] : [],
  );
  const roomed = orderRemovals({
    ...{ selected, all: selected, live },
    project: { project: plan.project, previousProject: plan.previous_project },
    makeRoom: (some) => makeRoom(some, some.length, holders),
  });
  const waiting = new Map(plan.operations.map(({ id, needs }) => [id, needs]));
  const hasty = operationsOf(roomed.drafts, roomed.createNeeds).operations.find(
    ({ id, needs }) => !needs.every((need) => waiting.get(id)?.includes(need)),
  );
  return hasty && `${hasty.address}: it does not wait for what it uses`;
}

/**
 * True if the planned change shows and does the same. Not proven: the version and the `rearm` in the marker, how an adopted task was
 * found, and who made a difference.
 */
function isSame(draft: Draft, change: Change, chain: readonly Operation[]): boolean {
  const { changes, operations } = operationsOf([draft], new Map());
  const adopts = change.actions.includes('adopt');
  const shown = ({ former: _, successor, secrets, provenance, digest, outcome, row, ...one }: Change) => ({
    ...one,
    reason: adopts && ADOPTED.has(one.reason) ? 'adopted' : one.reason,
    exposure: change.exposure.secret === true ? null : one.exposure,
    fields: one.fields.map(({ sensitive: __, made_by, provenance: ___, origin, ...field }) => field),
  });
  const does = ({ needs: _, body, body_if_refused: renewed, ...one }: Operation) => ({
    ...one,
    body: unversioned(body),
    renewed: unversioned(renewed ?? null),
  });
  const [planned] = changes.map(shown);
  return (
    jsonEqual(operations.map(does) as Json, chain.map(does) as Json) &&
    jsonEqual(planned as Json | undefined, shown(change) as Json)
  );
}

const ADOPTED: ReadonlySet<string> = new Set(['marker-lost', 'target-held', 'id-given']);

function unversioned(body: Operation['body']): Json {
  const remark = typeof body?.remark === 'object' ? { remark: { ...body.remark, version: null } } : {};
  return body === null ? null : ({ ...body, ...remark } as JsonObject);
}

/** Of the tasks that the plan leaves alone it has only sums, so these must be the same before and after. */
function addsUp({ exposure, changes, operations, service }: Plan): boolean {
  const live = liveWith(changes.flatMap(plannedResources), service);
  const secrets = new Map(changes.map(({ address, secrets: paths = [] }) => [address, paths]));
  const labels = { ref: () => undefined, shownName: (name: string) => name, liveName: (id: string) => id };
  const stakes = stakesOf({ live, labels, changes, unselected: [], operations, steady: [], secrets });
  const own = totalExposure(stakes, [], live, changes);
  const row = (of: PlanExposure, kind: string) => of.kinds.find((one) => one.kind === kind);
  const inOrder = KINDS.flatMap(({ collection }) => row(exposure, collection) ?? []);
  const sums = KINDS.map(({ collection }) => [row(exposure, collection), row(own, collection)] as const);
  return (
    jsonEqual(inOrder as unknown as Json, exposure.kinds as unknown as Json) &&
    [[exposure, own] as const, ...sums].every(
      ([all = NONE, part = NONE]) =>
        isDecimal(all.before) &&
        isDecimal(all.after) &&
        signedDifference(part.before, all.before) === signedDifference(part.after, all.after) &&
        compareDecimals(all.before, part.before) >= 0 &&
        all.running_before - part.running_before === all.running_after - part.running_after &&
        all.running_before >= part.running_before,
    )
  );
}

const NONE = { before: '0', after: '0', running_before: 0, running_after: 0 };

/** A view of the account in which there is nothing else. */
function liveWith(present: readonly LiveResource[], service: Plan['service']): LiveState {
  const quota = { max: 0, used: 0, remaining: 0 };
  return {
    account: { ...service, family_role: '', scopes: [], expires_at: null, quota },
    tasks: present.filter(isTask),
    templates: present.filter((one): one is LiveTemplate => !isTask(one) && !isLabel(one)),
    labels: present.filter(isLabel),
    visible: new Set(KINDS.map(({ collection }) => collection)),
    ...{ complete: true, confirmed: true, proof: '' },
  };
}

const origin = () => undefined;

/** What the planner is given for every manifest that the change may come from. */
function* inputsFor(
  change: Change,
  chain: readonly Operation[],
  present: readonly LiveResource[],
  plan: Plan,
): Generator<PlanInput> {
  const { name, kind, actions, reason } = change;
  const address = change.address as Address;
  const [former] = present;
  const input: PlanInput = {
    desired: {
      project: plan.project,
      ...(plan.previous_project === undefined ? {} : { previousProject: plan.previous_project }),
      environment: plan.environment,
      ...{ tasks: [], templates: [], labels: [], removals: [] },
      pruneTasks: actions.includes('delete') ? 'delete' : 'pause',
      stoppedTasks: 'hold',
      settle: plan.settle,
      wallets: new Map(),
    },
    live: liveWith(present, plan.service),
    options: NO_OPTIONS,
    source: { commit: null, dirty: false, manifestsDigest: '', number: undefined },
    ...{ baseUrl: '', toolVersion: '', createdAt: '', guardrails: NO_GUARDRAILS, diagnostics: [] },
  };
  const wants = (more: Partial<DesiredState>) => ({ ...input, desired: { ...input.desired, ...more } });
  if (reason === 'removal' || actions.includes('release')) {
    const known = former === undefined || isTask(former) ? name : former.name.trim();
    yield wants({ removals: [{ address, collection: kind, name: known, manifest: '', origin }] });
  } else if (reason === 'not-in-manifests') yield input;
  else if (isTaskCollection(kind)) yield* inputsForTask(change, chain, input, plan);
  else {
    const { name: shown, ...written } = (chain[0]?.body ?? {}) as JsonObject;
    const shownName = shown ?? (former === undefined || isTask(former) ? '' : former.name.trim());
    const more = { address, name, collection: kind, shownName, origin };
    const wanted = { ...former, ...written, ...more } as unknown;
    yield wants(
      kind === 'label' ? { labels: [wanted as DesiredLabel] } : { templates: [wanted as DesiredTemplate] },
    );
  }
}

/** The manifest says what the bodies write, and the rest is as it is; its `state`, and what starts held tasks, are tried. */
function* inputsForTask(
  change: Change,
  chain: readonly Operation[],
  input: PlanInput,
  { operations }: Plan,
): Generator<PlanInput> {
  const { address, kind, name, actions, fields } = change;
  const { tasks } = input.live;
  const creates = chain.some(({ verb }) => verb === 'create');
  const kept = tasks.find(
    ({ id }) => !chain.some(({ verb, subject }) => verb === 'delete' && subject === id),
  );
  const subject = creates ? placeholder(address) : kept?.id;
  const own = chain.filter((one) => one.subject === subject);
  const written: JsonObject = Object.assign(
    {},
    ...own.flatMap(({ body, body_if_refused: renewed }) => [body, renewed]),
  );
  const base = creates ? undefined : kept;
  const { note, marker } = base === undefined ? { note: '', marker: undefined } : remarkOf(base);
  const symbol = (
    isObject(written.remark) ? written.remark : { note: note.trim(), rearm: marker?.rearm, version: null }
  ) as JsonObject;
  const linked = written.linked_wallets ?? base?.linked_wallets;
  const { label, labels, liveLabels } = labelOf(written, base, tasks[0], fields, operations);
  const markers = tasks.flatMap((task) => markerOf(task) ?? []);
  const former = markers.find((one) => one.name !== name)?.name;
  const task: Omit<DesiredTask, 'state' | 'config'> = {
    address: address as Address,
    collection: kind as DesiredTask['collection'],
    name,
    origin,
    ...(actions.includes('adopt') || actions.includes('take-over') ? { id: String(kept?.id) } : {}),
    ...(former === undefined ? {} : { previousName: former }),
    ...(typeof symbol.rearm === 'string' ? { rearm: symbol.rearm } : {}),
    note: String(symbol.note),
    label,
    target_wallet: String(written.target_wallet ?? base?.target_wallet),
    ...(linked === undefined ? {} : { linked_wallets: linked as string[] }),
    ignoreChanges: [],
    adopt: 'auto',
  };
  const version = marker?.version && formatVersion(marker.version);
  const renews = version === undefined || (symbol.version ?? version) !== version;
  const takeOver = actions.includes('take-over') ? markers.map(({ project }) => project) : [];
  const stored = (written.config ?? base?.config ?? {}) as JsonObject;
  // The fields of a pair say what differs from the task that goes. A manifest has no field that the service has dropped, unless it ignores its changes.
  const configs =
    change.successor == null || written.config !== undefined
      ? [stored]
      : [stored, currentConfig(kindOf(task.collection).config, stored)].map((one) => withFields(one, fields));
  for (const config of configs)
    for (const [state, resumeStopped, stoppedTasks] of WAYS) {
      const wanted: DesiredTask = { ...task, state, config };
      // The version names the whole manifest, with the values that it ignores. It is that of this one, unless the plan renews it.
      const named = marker && {
        ...marker,
        version: renews ? undefined : { number: 0, digest: versionDigest(wanted) },
      };
      const known = tasks.map((one) =>
        one === base && named !== undefined ? { ...one, remark: formatRemark(note, named) } : one,
      );
      yield {
        ...input,
        desired: { ...input.desired, tasks: [wanted], labels, stoppedTasks },
        live: { ...input.live, tasks: known, labels: liveLabels },
        options: { ...NO_OPTIONS, takeOver, resumeStopped },
      };
    }
}

const WAYS = (['active', 'manual', 'paused'] as const).flatMap((state) => [
  [state, 'none', 'hold'] as const,
  [state, 'all', 'hold'] as const,
  [state, 'none', 'resume'] as const,
]);

function withFields(config: JsonObject, fields: Change['fields']): JsonObject {
  const result = structuredClone(config);
  for (const { path, after } of fields) {
    const [root, ...keys] = parsePath(path);
    const last = keys.pop();
    if (root !== 'config' || last === undefined) continue;
    let parent: Json | undefined = result;
    // A list has its places as names, too.
    for (const key of keys) parent = (parent as JsonObject | null | undefined)?.[key];
    if (typeof parent !== 'object' || parent === null) continue;
    if (after === undefined) delete (parent as JsonObject)[last];
    else (parent as JsonObject)[last] = after as Json;
  }
  return result;
}

/** The label that the task has afterwards. Names are those that the change shows; `checkFresh` compares them with the live ones. */
function labelOf(
  written: JsonObject,
  base: LiveTask | undefined,
  former: LiveTask | undefined,
  fields: Change['fields'],
  operations: readonly Operation[],
): Pick<DesiredTask, 'label'> & Pick<DesiredState, 'labels'> & { readonly liveLabels: readonly LiveLabel[] } {
  const told = fields.find(({ path }) => path === 'label');
  const after = written.risk_label_id === undefined ? (base?.risk_label_id ?? null) : written.risk_label_id;
  const common = { collection: 'label', sort_order: 0 } as const;
  const nameOf = (id: string) => String((id === after ? told?.after : told?.before) ?? id);
  const ids = new Set([former?.risk_label_id, base?.risk_label_id, after]);
  const liveLabels = [...ids].flatMap((id) =>
    typeof id === 'string' ? [{ ...common, id, name: nameOf(id) }] : [],
  );
  if (after === null) return { label: null, labels: [], liveLabels };
  const made = isObject(after)
    ? operations.find(({ address, verb }) => address === after.ref && verb === 'create')
    : undefined;
  const name = isObject(after) ? bareName(String(after.ref)) : 'kept';
  const own = isObject(after)
    ? { shownName: String(made?.body?.name) }
    : { id: String(after), shownName: nameOf(String(after)) };
  const wanted = { ...common, ...own, address: `label/${name}` as Address, name, origin };
  return { label: name, labels: [wanted], liveLabels };
}
