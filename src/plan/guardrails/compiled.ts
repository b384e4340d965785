import type { GuardrailLimits, PolicySource } from '../../desired/guardrails/settings.ts';
import type { Json, JsonObject } from '../../model/json.ts';

/** The guardrails of a project: limits of the project file, and its policies ready to be asked. */
export interface Guardrails {
  readonly limits: GuardrailLimits;
  readonly policies: readonly Policy[];
}

/** Nothing is refused. */
export const NO_GUARDRAILS: Guardrails = { limits: {}, policies: [] };

/** A policy that is ready to be asked (`policy-compiler.ts`). */
export interface Policy extends Pick<PolicySource, 'name' | 'message' | 'target' | 'action'> {
  /** Its place in the project file. */
  readonly location?: PolicySource['location'];
  /** Its schema, to be compared with that of another revision. */
  readonly document?: Json;
  /** The steps are taken from the room, or from that of one document; a room that is too small is the problem that it returns. */
  check(document: JsonObject, room?: PolicyRoom): readonly PolicyProblem[];
}

/** Steps that are left for the policies of one plan. */
export interface PolicyRoom {
  left: number;
}

/** A field of a document that a policy does not let pass. */
export interface PolicyProblem {
  /** From the document's root: `spec.config.relay_mode.tip_amount`. */
  readonly path: string;
  readonly value: Json | undefined;
  /** The demand of the schema: `must be at most 0.5`. */
  readonly text: string;
  /** The schema bounds an amount: it has to be at most, or at least, so much. */
  readonly bound?: 'most' | 'least';
  /** A remedy, where changing the field is none. */
  readonly hint?: string;
}
