import type { GuardrailLimits, PolicySource } from '../../desired/guardrails/settings.ts';
import type { Json, JsonObject } from '../../model/json.ts';

export interface Guardrails {
  readonly limits: GuardrailLimits;
  readonly policies: readonly Policy[];
}

/** Nothing is refused. */
export const NO_GUARDRAILS: Guardrails = { limits: {}, policies: [] };

export interface Policy extends Pick<PolicySource, 'name' | 'message' | 'target' | 'action'> {
  readonly location?: PolicySource['location'];
  /** Its schema, for the comparison with another revision. */
  readonly document?: Json;
  /**
   * Checks one document. Its steps are subtracted from `room`, by default from the room for one document; returns a
   * problem if the room is too small.
   */
  check(document: JsonObject, room?: PolicyRoom): readonly PolicyProblem[];
}

export interface PolicyRoom {
  left: number;
}

export interface PolicyProblem {
  /** From the document's root: `spec.config.relay_mode.tip_amount`. */
  readonly path: string;
  readonly value: Json | undefined;
  /** The demand of the schema: `must be at most 0.5`. */
  readonly text: string;
  /** Set if the schema limits an amount: it must be at most, or at least, the bound. */
  readonly bound?: 'most' | 'least';
  /** A hint, if changing the field does not help. */
  readonly hint?: string;
}
