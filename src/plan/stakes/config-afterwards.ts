import type { Change, Operation } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { LiveState } from '../../model/resource.ts';

/** Config and label at an address after its operations. */
export interface After {
  /** Undefined if no resource exists, or if its create is blocked. */
  readonly config: JsonObject | undefined;
  /** `risk_label_id`: an id, a reference to a label that the plan creates, or null. */
  readonly label: Json;
}

/** From the last bodies that the operations send; fields that they do not send keep their live values. */
export function afterwards(
  operations: readonly Operation[],
  { tasks, templates }: LiveState,
): (change: Pick<Change, 'address' | 'id'>) => After {
  const sent = new Map<string, JsonObject>();
  for (const { address, body } of operations) {
    // The plan's bodies are JSON by its schema; generated types say `unknown` where any JSON may stand.
    if (body !== null) sent.set(address, { ...sent.get(address), ...(body as JsonObject) });
  }
  const live = new Map([...tasks, ...templates].map((resource) => [resource.id, resource]));
  return ({ address, id }) => {
    const { config, risk_label_id: label } = sent.get(address) ?? {};
    const present = id === null ? undefined : live.get(id);
    const liveLabel = present !== undefined && 'risk_label_id' in present ? present.risk_label_id : null;
    return {
      config: config !== undefined && isObject(config) ? config : present?.config,
      label: label === undefined ? liveLabel : label,
    };
  };
}
