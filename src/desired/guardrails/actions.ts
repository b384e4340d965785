import { didYouMean } from '../../manifest/suggest.ts';
import type { ProjectValue } from './project-value.ts';
import type { GuardrailAction } from './settings.ts';

const FIELDS: readonly string[] = ['limit', 'action'];
const ACTIONS: readonly string[] = ['refuse', 'warn', 'off'];

/** The action of a guardrail that is a mapping. Undefined, with diagnostics, if the mapping is wrong. */
export function readAction(
  place: ProjectValue,
  value: Readonly<Record<string, unknown>>,
): GuardrailAction | 'off' | undefined {
  const unknown = Object.keys(value).filter((key) => !FIELDS.includes(key));
  for (const key of unknown) {
    place.at(key).wrong(
      {
        code: 'unknown-field',
        message: `a guardrail has no field ${key}`,
        hint: didYouMean(key, FIELDS) ?? 'the fields are limit and action',
      },
      'key',
    );
  }
  const action = actionAt(place.at('action'));
  return unknown.length > 0 ? undefined : action;
}

/** The default is `refuse`. */
export function actionAt(place: ProjectValue): GuardrailAction | 'off' | undefined {
  const { value } = place;
  if (value === undefined) return 'refuse';
  // YAML 1.2 reads off as text. An editor may have turned it into false.
  if (value === false) return 'off';
  const known = ACTIONS.find((action) => action === value);
  if (known !== undefined) return known as GuardrailAction | 'off';
  return place.wrong({
    code: 'invalid-value',
    message: `${place.written} is not an action`,
    hint: [didYouMean(String(value), ACTIONS), `one of ${ACTIONS.join(', ')}`]
      .filter((text) => text !== undefined)
      .join(' '),
  });
}
