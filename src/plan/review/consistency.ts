import { isKeptOff, isOff, isSameArmed, isSwitchedOff, isSwitchForm } from '../../model/armed.ts';
import { byKey } from '../../model/by-key.ts';
import { resourcesBefore } from '../../model/change.ts';
import type { Change, Operation, Plan, RemarkSymbol } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { isTaskCollection, kindOf, type TaskKind, type TemplateKind } from '../../model/kind.ts';
import { armedOfSymbol } from '../../model/mark-symbol.ts';
import { type Marker, remarkOf } from '../../model/marker.ts';
import {
  canonicalWallets,
  configDifferences,
  configLeaves,
  type FieldDifference,
} from '../../model/shape.ts';
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
    } else if (verb === 'pause') present.set(subject, false);
    else if (verb === 'resume') {
      if (!ran && !change.starts_trading) return 'it starts the task, and the change does not say so';
      present.set(subject, true);
    }
  }
  const runs = [...present.values()].includes(true);
  if (ran && !runs && chain.length > 0 && !change.stops_trading && !may('replace'))
    return 'it stops the task, and the change does not say so';
  if (actions.includes('delete') && present.size > 0) return 'it keeps a resource that the change deletes';
  return undefined;
}

/** What a body writes is in the list of fields; a mark that keeps a task off is the one that the task has. */
function ofBody(change: Change, operation: Operation, plan: Plan): string | undefined {
  const { verb, body } = operation;
  if (body === null)
    return verb === 'pause' || verb === 'resume' || verb === 'delete' ? undefined : 'a body is missing';
  if (verb === 'pause' || verb === 'resume' || verb === 'delete') return `its ${verb} has a body`;
  if (verb === 'mark' && Object.keys(body).join() !== 'remark') return 'its mark writes more than the remark';
  const fields = new Map(change.fields.map(({ path, after }) => [path, after as Json | undefined]));
  const shown = shownFor(operation, change);
  const { remark, config, risk_label_id: label, linked_wallets: linked, ...rest } = body as JsonObject;
  const found =
    ofLabel(label, operation, plan, fields.has('label') ? fields.get('label') : shown?.risk_label_id) ??
    ofNote(remark, operation, change, fields);
  if (found !== undefined) return found;
  // A new task has what the list of fields says, and for the rest what the replaced one has.
  const creates = verb === 'create';
  const written = (path: string) =>
    fields.has(path) ? fields.get(path) : creates ? shown?.[path] : undefined;
  if (
    linked !== undefined &&
    !jsonEqual(wallets(linked), wallets(written('linked_wallets') ?? (creates ? [] : null)))
  )
    return 'its linked wallets are not those of the change';
  const other = Object.entries(rest).find(
    ([key, value]) => !(creates || fields.has(key)) || !jsonEqual(written(key) ?? null, value),
  );
  return other === undefined ? undefined : `${other[0]} is not in its list of fields`;
}

/** The resource that an operation writes over; for a new one the resource that it replaces. */
function shownFor({ verb, subject }: Operation, change: Change): JsonObject | undefined {
  const id = verb === 'create' ? change.replaces_id : subject;
  return resourcesBefore(change).find((shown) => shown.id === id);
}

function ofLabel(
  label: Json | undefined,
  { verb, address }: Operation,
  plan: Plan,
  told: Json | undefined,
): string | undefined {
  if (label !== undefined && label !== null && isObject(label)) {
    const made = plan.operations.find((one) => one.address === label.ref && one.verb === 'create');
    const waits = plan.operations.some(
      (one) => one.address === address && made !== undefined && one.needs.includes(made.id),
    );
    return waits && made?.body?.name === told ? undefined : 'it does not wait for its label';
  }
  const unlabelled = label === null || (label === undefined && verb === 'create');
  return unlabelled && (told ?? null) !== null ? 'its label is not that of the change' : undefined;
}

function ofNote(
  remark: Json | undefined,
  operation: Operation,
  change: Change,
  fields: ReadonlyMap<string, Json | undefined>,
): string | undefined {
  const shown = shownFor(operation, change);
  const creates = operation.verb === 'create';
  const note = shown === undefined ? '' : noteOf(shown);
  if (!isObject(remark ?? null))
    return remark === undefined || (!creates && shown !== undefined && remark === note)
      ? undefined
      : 'its remark is not that of the change';
  const symbol = remark as unknown as RemarkSymbol;
  if (creates && symbol.note !== (fields.has('remark') ? fields.get('remark') : note))
    return 'its remark is not that of the change';
  return ofRemark(symbol, change, creates ? undefined : shown, fields);
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
  if (symbol.mark === 'pending' && !change.starts_trading && !tasks.some(({ runs }) => runs)) {
    const kept = tasks.some((task) => isSameArmed(task.armed, armed));
    if (!kept) return 'its mark asks for a start, and the change does not say so';
  }
  const loses =
    symbol.mark === 'settled' || symbol.mark === 'held' || (symbol.mark === 'none' && change.held);
  return loses && own.some((task) => isOff(task.armed) && !task.runs && !isSameArmed(task.armed, armed))
    ? 'it takes away the mark of the switch'
    : undefined;
}

/** The configs that are written differ from the present one exactly as the list of fields says. */
function ofConfig(change: Change, chain: readonly Operation[]): string | undefined {
  const kind = kindOf(change.kind);
  if (kind.family === 'label') return undefined;
  const told = new Map(
    change.fields.flatMap(({ path, before, after, legacy }) =>
      path.startsWith('config.') && legacy !== true
        ? [[path.slice('config.'.length), JSON.stringify([before ?? null, after ?? null])] as const]
        : [],
    ),
  );
  const written = new Set<string>();
  for (const operation of chain) {
    const { body, body_if_refused: renewed } = operation;
    if (renewed !== undefined && !jsonEqual({ ...renewed, config: null }, { ...body, config: null }))
      return 'what it sends after a refusal is not in its list of fields';
    for (const config of [body?.config, renewed?.config] as (JsonObject | undefined)[]) {
      if (config === undefined) continue;
      if (!passesWriteSchema(kind.config, config)) return 'the service would refuse its config';
      const other = writtenFields(kind, operation, change, config).find(({ path, before, after }) => {
        written.add(path);
        return told.get(path) !== JSON.stringify([before ?? null, after ?? null]);
      });
      if (other !== undefined)
        return `it would also change config.${other.path}, which its list of fields does not name`;
    }
  }
  const missing = chain.length === 0 ? undefined : [...told.keys()].find((path) => !written.has(path));
  return missing === undefined ? undefined : `it does not write config.${missing}`;
}

/** The fields in which a config differs from the present one; every field where there is none. */
function writtenFields(
  { config: definition }: TaskKind | TemplateKind,
  operation: Operation,
  change: Change,
  config: JsonObject,
): readonly FieldDifference[] {
  const shown = shownFor(operation, change);
  if (shown !== undefined)
    return configDifferences(definition, shown.config as JsonObject, config).filter(
      ({ legacy }) => legacy !== true,
    );
  if (operation.verb !== 'create') return [];
  return configLeaves(definition, config).map(({ path, value }) => ({ path, after: value }));
}
