import { MOST } from '../../model/bounds.ts';
import type { Json } from '../../model/json.ts';
import type { Policy } from './compiled.ts';
import { problemsOf, TooManySteps } from './policy-check.ts';
import { type SchemaProblem, schemaProblems } from './policy-keywords.ts';

type CompiledPolicy = { readonly check: Policy['check'] } | { readonly problems: readonly SchemaProblem[] };

/**
 * A policy's schema, ready to check documents: a part of draft-07, in which unknown keywords are errors; `decimalMaximum` and
 * `decimalMinimum` compare amounts, which are texts, by their exact value, and `wildcard` compares text. Anyone who opens a pull
 * request can write one: without references and regular expressions, its parts times the values of a document are all that it
 * looks at.
 */
export function compilePolicy(schema: Json): CompiledPolicy {
  const problems = schemaProblems(schema);
  if (problems.length > 0) return { problems };
  return {
    check: (document, room = { left: MOST.documentSteps }) => {
      const own = { left: Math.min(room.left, MOST.documentSteps) };
      const before = own.left;
      try {
        return problemsOf(schema, document, own);
      } catch (error) {
        if (!(error instanceof TooManySteps)) throw error;
        return [TOO_MANY];
      } finally {
        room.left -= before - own.left;
      }
    },
  };
}

const TOO_MANY = {
  path: '',
  value: undefined,
  text: 'cannot be checked: its schema takes too many steps, or all policies together do',
  hint: 'Correct the schema of the policy.',
};
