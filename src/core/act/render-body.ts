import { type Armed, armedAs, isOff, pendingMark } from '../model/armed.ts';
import type { Operation, RemarkSymbol } from '../model/generated/plan.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import {
  formatRemark,
  type ProjectNames,
  parseVersion,
  rearmedRemark,
  replacesTag,
} from '../model/marker.ts';
import type { LiveTask } from '../model/resource.ts';

/** The project and name in the marker: the plan's project and the change's `metadata.name`. */
export interface Owner {
  readonly project: string;
  readonly name: string;
  /** The former name of the project: its markers are owned, but no new ones are written. */
  readonly previousProject?: string;
}

/** The remark to store for a remark symbol of the plan. `current`: the version that the operation is sent on. */
export function renderRemark(
  symbol: RemarkSymbol,
  owner: Owner,
  verb: Operation['verb'],
  current: number,
): string {
  return formatRemark(symbol.note, {
    ...owner,
    armed: armedAs(symbol.mark, pendingMark(verb, current)),
    version: symbol.version === null ? undefined : parseVersion(symbol.version),
    rearm: symbol.rearm ?? undefined,
    replaces: symbol.replaces === null ? undefined : replacesTag(symbol.replaces),
  });
}

interface BodyContext extends Owner {
  readonly verb: Operation['verb'];
  readonly current: number;
  /** Id of the resource that the plan created at an address. */
  readonly reference: (address: string) => string;
}

/** A body of the plan as it is sent: symbols for remarks and for created ids are filled in. */
export function renderBody(body: JsonObject, context: BodyContext): JsonObject {
  const { remark, risk_label_id: label } = body;
  return {
    ...body,
    ...(isRemarkSymbol(remark)
      ? { remark: renderRemark(remark, context, context.verb, context.current) }
      : {}),
    ...(isObject(label) && typeof label.ref === 'string'
      ? { risk_label_id: context.reference(label.ref) }
      : {}),
  };
}

export function isRemarkSymbol(value: unknown): value is RemarkSymbol {
  return isObject(value) && typeof value.note === 'string' && typeof value.mark === 'string';
}

/** The same body with `@0` in place of a pending mark, or with the form under which the task stays off already. */
export function settledBody(body: JsonObject, armed: Armed): JsonObject {
  const { remark } = body;
  if (!isRemarkSymbol(remark) || remark.mark !== 'pending') return body;
  const mark = isOff(armed) ? armed : 'settled';
  return { ...body, remark: { ...(remark as unknown as JsonObject), mark } };
}

/** The body that writes another armed version; a remark without a marker of this project does not change. */
export function markBody(task: LiveTask, owner: ProjectNames, armed: Armed) {
  return { remark: rearmedRemark(task, owner, armed) ?? task.remark };
}
