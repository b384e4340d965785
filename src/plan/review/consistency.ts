import { isKeptOff, isOff, isSameArmed, isSwitchedOff, isSwitchForm } from '../../model/armed.ts';
import { byKey } from '../../model/by-key.ts';
import { resourcesBefore } from '../../model/change.ts';
import type { Change, Operation, Plan, RemarkSymbol } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { isTaskCollection, kindOf } from '../../model/kind.ts';
import { armedOfSymbol } from '../../model/mark-symbol.ts';
import { type Marker, remarkOf } from '../../model/marker.ts';
import { canonicalWallets, configDifferences } from '../../model/shape.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import { operationId, placeholder } from '../draft.ts';
import { byTurn } from '../order/operations.ts';

/**
 * Why a plan document contradicts itself; undefined if its operations do what its changes say, in the order in which the planner
 * begins them, to the resources that the changes show, and nothing else. People read the changes and the digest; requests are made
 * from the operations. Whoever edits a document can compute its checksum anew, so a saved plan is checked by this before it is used,
 * and the resources that it shows are compared with the live ones (`checkFresh`).
 */
export function contradictionIn(plan: Plan): string | undefined {
  const changes = new Map(plan.changes.map((change) => [change.address, change]));
  if (changes.size < plan.changes.length) return 'it has two changes with one address';
  const chains = byKey(plan.operations, ({ address }) => address);
  const order = plan.changes
    .filter(({ operations }) => operations.length > 0)
    .sort(byTurn)
    .flatMap(({ operations }) => operations);
  if (!jsonEqual(order, ids(plan.operations))) return 'its operations are not those of its changes';
  for (const change of plan.changes) {
    const chain = chains.get(change.address) ?? [];
    const found =
      ofIdentity(change, chain, plan) ??
      ofVerbs(change, chain) ??
      chain.map((operation) => ofBody(change, operation, plan)).find((text) => text !== undefined) ??
      ofConfig(change, chain);
    if (found !== undefined) return `${change.address}: ${found}`;
  }
  return undefined;
}

function ids(operations: readonly Operation[]): string[] {
  return operations.map(({ id }) => id);
}

/** The task's marker must be that of the change, unless the change says how it gets it. */
function ofIdentity(change: Change, chain: readonly Operation[], plan: Plan): string | undefined {
  const { address, kind, name, actions, action, operations } = change;
  if (address !== `${kind}/${name}`) return 'its name is another one';
  if (action !== (actions[0] ?? 'none')) return 'its action is not the first of its actions';
  const numbered = chain.map((_, index) => operationId({ address, step: index + 1 }));
  if (!jsonEqual(operations, numbered) || !jsonEqual(ids(chain), numbered))
    return 'its operations are not in order';
  if (chain.length === 0 || !isTaskCollection(kind) || actions.includes('adopt')) return undefined;
  const before = (path: string) => change.fields.find((one) => one.path === path)?.before;
  const released = String(before('marker') ?? '').split('/')[0];
  const projects = [plan.project, plan.previous_project, before('project'), released];
  const names = [name, before('name'), change.previous_address?.split('/')[1]];
  const owned = resourcesBefore(change).every((task) => {
    const marker = markerOf(task);
    return marker !== undefined && projects.includes(marker.project) && names.includes(marker.name);
  });
  return owned ? undefined : 'its task does not have its marker';
}

function markerOf({ remark }: JsonObject): Marker | undefined {
  return typeof remark === 'string' ? remarkOf({ remark }).marker : undefined;
}

/** What is created, deleted, started and stopped is what the change says. */
function ofVerbs(change: Change, chain: readonly Operation[]): string | undefined {
  const { actions, address } = change;
  const present = new Map(resourcesBefore(change).map((shown) => [shown.id, shown.is_active === true]));
  const ran = [...present.values()].includes(true);
  const may = (...some: readonly Change['action'][]) => some.some((action) => actions.includes(action));
  for (const { verb, subject } of chain) {
    if (verb === 'create') {
      if (subject !== placeholder(address) || present.has(subject) || !may('create', 'replace'))
        return 'it creates what the change does not name';
      present.set(subject, false);
      continue;
    }
    if (!present.has(subject)) return `its operation changes ${subject}, which is not its resource`;
    if (verb === 'delete') {
      if (!may('delete', 'replace')) return 'it deletes, and the change does not say so';
      present.delete(subject);
    } else if (verb === 'pause' || verb === 'resume') present.set(subject, verb === 'resume');
  }
  const runs = [...present.values()].includes(true);
  if (runs && !ran && !change.starts_trading) return 'it starts the task, and the change does not say so';
  if (ran && !runs && chain.length > 0 && !change.stops_trading && !may('replace'))
    return 'it stops the task, and the change does not say so';
  if (actions.includes('delete') && present.size > 0) return 'it keeps a resource that the change deletes';
  return undefined;
}

/** What a body writes is in the list of fields; a mark that keeps a task off is the one that the task has. */
function ofBody(change: Change, operation: Operation, plan: Plan): string | undefined {
  const { verb, subject, body } = operation;
  if (body === null)
    return verb === 'pause' || verb === 'resume' || verb === 'delete' ? undefined : 'a body is missing';
  if (verb === 'pause' || verb === 'resume' || verb === 'delete') return `its ${verb} has a body`;
  const fields = new Map(change.fields.map(({ path, after }) => [path, after as Json | undefined]));
  const { remark, config, risk_label_id: label, linked_wallets: linked, ...rest } = body as JsonObject;
  if (verb === 'mark' && Object.keys(body).join() !== 'remark') return 'its mark writes more than the remark';
  if (label !== undefined && label !== null && isObject(label)) {
    const made = plan.operations.find(
      ({ address, verb: does }) => address === label.ref && does === 'create',
    );
    const waits = plan.operations.some(
      ({ address, needs }) => address === change.address && made !== undefined && needs.includes(made.id),
    );
    if (!waits || made?.body?.name !== fields.get('label')) return 'it does not wait for its label';
  } else if (label === null && verb !== 'create' && (fields.get('label') ?? null) !== null)
    return 'its label is not that of the change';
  if (isObject(remark ?? null)) {
    const shown = resourcesBefore(change).find(({ id }) => id === subject);
    const found = ofRemark(remark as unknown as RemarkSymbol, change, shown, fields);
    if (found !== undefined) return found;
  }
  if (verb === 'create') return undefined;
  const shown = resourcesBefore(change).find(({ id }) => id === subject);
  if (typeof remark === 'string' && (shown === undefined || remark !== noteOf(shown)))
    return 'its remark is not that of the change';
  if (linked !== undefined && !jsonEqual(wallets(linked), wallets(fields.get('linked_wallets'))))
    return 'its linked wallets are not those of the change';
  const other = Object.entries(rest).find(
    ([key, value]) => !fields.has(key) || !jsonEqual(fields.get(key), value),
  );
  return other === undefined ? undefined : `${other[0]} is not in its list of fields`;
}

function wallets(value: Json | undefined): Json {
  return Array.isArray(value) ? [...canonicalWallets(value as string[])] : null;
}

function noteOf({ remark }: JsonObject): string {
  return typeof remark === 'string' ? remarkOf({ remark }).note.trim() : '';
}

function ofRemark(
  symbol: RemarkSymbol,
  change: Change,
  shown: JsonObject | undefined,
  fields: ReadonlyMap<string, Json | undefined>,
): string | undefined {
  const told = fields.get('remark');
  if (shown !== undefined && symbol.note !== noteOf(shown) && symbol.note !== told)
    return 'its remark is not that of the change';
  const armed = armedOfSymbol(symbol, -1);
  const tasks = resourcesBefore(change).map((task) => ({
    armed: markerOf(task)?.armed,
    runs: task.is_active === true,
  }));
  if (isSwitchForm(armed)) {
    // Only the operator's switch writes these; a plan carries them on.
    const carried = tasks.some(
      (task) =>
        isSameArmed(task.armed, armed) ||
        (isKeptOff(armed) && isSwitchedOff(task.armed) && task.armed.due === armed.due),
    );
    return carried ? undefined : 'no task of the change has its mark';
  }
  const own =
    shown === undefined ? tasks : [{ armed: markerOf(shown)?.armed, runs: shown.is_active === true }];
  const loses = symbol.mark === 'settled' || symbol.mark === 'held';
  return loses && own.some((task) => isOff(task.armed) && !task.runs && !isSameArmed(task.armed, armed))
    ? 'it takes away the mark of the switch'
    : undefined;
}

/** The configs that are written differ from the present one exactly as the list of fields says. */
function ofConfig(change: Change, chain: readonly Operation[]): string | undefined {
  const kind = kindOf(change.kind);
  if (kind.family === 'label') return undefined;
  const told = new Map(
    change.fields.flatMap(({ path, after, legacy }) =>
      path.startsWith('config.') && legacy !== true
        ? [[path.slice('config.'.length), after as Json | undefined] as const]
        : [],
    ),
  );
  const written = new Set<string>();
  let creates = false;
  for (const { verb, subject, body, body_if_refused: renewed } of chain) {
    creates ||= verb === 'create';
    const shown = resourcesBefore(change).find(({ id }) => id === subject);
    for (const config of [body?.config, renewed?.config] as (JsonObject | undefined)[]) {
      if (config === undefined) continue;
      if (!passesWriteSchema(kind.config, config)) return 'the service would refuse its config';
      if (verb === 'create' || shown === undefined) continue;
      for (const { path, after, legacy } of configDifferences(
        kind.config,
        shown.config as JsonObject,
        config,
      )) {
        if (legacy === true) continue;
        const same = told.has(path) && JSON.stringify(told.get(path)) === JSON.stringify(after);
        if (!same) return `it would also change config.${path}, which its list of fields does not name`;
        written.add(path);
      }
    }
  }
  const missing =
    creates || chain.length === 0 ? undefined : [...told.keys()].find((path) => !written.has(path));
  return missing === undefined ? undefined : `it does not write config.${missing}`;
}
