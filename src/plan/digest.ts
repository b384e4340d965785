import { createHash } from 'node:crypto';
import { byKey } from '../model/by-key.ts';
import type { Change, Operation, Plan } from '../model/generated/plan.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../model/json.ts';
import { parseRemark } from '../model/marker.ts';

/**
 * SHA-256 over what would be done and to what: project, environment, service, addresses, ids, actions, fields, starts and
 * stops, the requests in their order, all of what is created, started and deleted. Not over versions, marks, waits,
 * tokens, times, commits, the tool's version, or what a base has as well (DESIGN 6).
 *
 * The environment is in it because the login name may be null: two accounts behind one base URL that both lack a task
 * would else have the same plan to create it, and the approval of one would be good for the other. What is deleted is in
 * it whole, since a deletion has no fields: somebody who edits a task after its deletion was approved needs it, and no
 * one can bring it back. So is what is started: where git and the service took a larger amount meanwhile, or where
 * `ignore_changes` lets it stand, no field says so, and the approval was for the start of another task.
 */
export function planDigest(plan: Plan): string {
  return sha256(digested(plan));
}

/** What the digest is made of: two plans have one digest where this is equal. */
export function digested(plan: Plan) {
  const chains = byKey(plan.operations, ({ address }) => address);
  return {
    project: plan.project,
    environment: plan.environment,
    base_url: plan.service.base_url,
    login_username: plan.service.login_username,
    changes: plan.changes.map((change) => digestedChange(change, chains.get(change.address) ?? [])),
  };
}

export type DigestedChange = ReturnType<typeof digestedChange>;

function digestedChange(change: Change, operations: readonly Operation[]) {
  return {
    address: change.address,
    previous_address: change.previous_address,
    id: change.id,
    replaces_id: change.replaces_id,
    actions: change.actions,
    starts_trading: change.starts_trading,
    stops_trading: change.stops_trading,
    held: change.held,
    blocked: change.blocked !== null,
    fields: change.fields.map(({ path, before, after, legacy }) => ({
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
      ...(legacy === undefined ? {} : { legacy }),
    })),
    steps: operations.filter(isMoreThanMark).map((step) => stepOf(step, change)),
  };
}

/** Marks come and go with what earlier runs left; they decide nothing that is not said otherwise. */
function isMoreThanMark({ verb, body }: Operation): boolean {
  return verb !== 'mark' && !(verb === 'patch' && Object.keys(body ?? {}).every((key) => key === 'remark'));
}

export interface DigestedStep {
  readonly verb: Operation['verb'];
  readonly path: string;
  /** Of a create: all that is sent, with the note for its remark. */
  readonly body?: JsonObject;
  /** Of a delete: all that is lost. */
  readonly gone?: JsonObject;
  /** Of the start of a task that does not run: all of it as it was found. With the fields that is how it will run. */
  readonly started?: JsonObject;
}

/** Patches are told by the fields: a body repeats what is live already. So is the former task of a replacement. */
function stepOf({ verb, path, body }: Operation, { actions, former, successor }: Change): DigestedStep {
  if (verb === 'create') return { verb, path, body: withoutMark((body ?? {}) as JsonObject) };
  const subject = [former, successor].find((resource) => path.split('/').includes(String(resource?.id)));
  if (subject == null) return { verb, path };
  const live = subject as JsonObject;
  if (verb === 'resume')
    return { verb, path, ...(live.is_active === true ? {} : { started: essence(live) }) };
  const lost = verb === 'delete' && (subject !== former || actions.includes('delete'));
  return { verb, path, ...(lost ? { gone: essence(live) } : {}) };
}

function withoutMark({ remark, ...body }: JsonObject): JsonObject {
  return { ...body, ...(isObject(remark) ? { note: remark.note ?? '' } : {}) };
}

/** A live resource without what every write changes. */
function essence({ remark, version, created_at, updated_at, ...rest }: JsonObject): JsonObject {
  if (typeof remark !== 'string') return rest;
  const parsed = parseRemark(remark);
  return { ...rest, note: parsed.type === 'damaged' ? remark : parsed.note };
}

/** SHA-256 over the whole document with `integrity` empty. */
export function planIntegrity(plan: Plan): string {
  return sha256({ ...plan, integrity: '' });
}

function sha256(value: unknown): string {
  // The plan is JSON by its schema; generated types say `unknown` where any JSON may stand.
  return createHash('sha256')
    .update(canonicalJson(value as Json))
    .digest('hex');
}
