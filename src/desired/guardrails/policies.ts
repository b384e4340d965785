import { didYouMean } from '../../manifest/suggest.ts';
import { NAME_PATTERN } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { isObject } from '../../model/json.ts';
import { actionAt } from './actions.ts';
import { patternProblem } from './limits.ts';
import type { ProjectValue } from './project-value.ts';
import type { PolicySource } from './settings.ts';

const FIELDS: readonly string[] = ['name', 'message', 'target', 'action', 'schema', 'file'];

/** `policies`: a list without the policies that are off. Undefined, with diagnostics, if anything in it is wrong. */
export function readPolicies(place: ProjectValue): readonly PolicySource[] | undefined {
  const { value } = place;
  if (value === null) return [];
  if (!Array.isArray(value)) {
    return place.wrong({
      code: 'wrong-type',
      message: 'policies must be a list of policies',
      hint: 'each has name, message, and schema or file',
    });
  }
  if (value.length > MOST.policies) {
    const message = `${value.length} policies; at most ${MOST.policies} are allowed`;
    return place.wrong({ code: 'out-of-range', message, hint: 'one schema can check many fields' });
  }
  const names = new Set<string>();
  const policies = value.map((_, index) => readPolicy(place.at(index), names));
  const good = policies.filter((policy) => policy !== undefined);
  return good.length < policies.length ? undefined : good.filter((policy) => policy !== 'off');
}

function readPolicy(place: ProjectValue, names: Set<string>): PolicySource | 'off' | undefined {
  const { value } = place;
  if (!isObject(value))
    return place.wrong({
      code: 'wrong-type',
      message: 'a policy is a mapping with name, message, and schema or file',
    });
  const unknown = Object.keys(value).filter((key) => !FIELDS.includes(key));
  for (const key of unknown) {
    const hint = didYouMean(key, FIELDS) ?? `the fields are ${FIELDS.join(', ')}`;
    place.at(key).wrong({ code: 'unknown-field', message: `a policy has no field ${key}`, hint }, 'key');
  }
  const name = nameAt(place, names);
  const message = textAt(place, 'message', 'the text to show when the policy refuses a plan');
  const target = targetAt(place);
  const action = actionAt(place.at('action'));
  const schema = schemaAt(place, value);
  if (
    unknown.length > 0 ||
    name === undefined ||
    message === undefined ||
    target === undefined ||
    action === undefined ||
    schema === undefined
  )
    return undefined;
  return action === 'off' ? 'off' : { name, message, target, action, schema, location: place.location };
}

function nameAt(place: ProjectValue, names: Set<string>): string | undefined {
  const name = textAt(place, 'name', '1 to 24 characters of a-z, 0-9 and -; --override calls it policy/NAME');
  if (name === undefined) return undefined;
  const at = place.at('name');
  if (!NAME_PATTERN.test(name))
    return at.wrong({
      code: 'invalid-name',
      message: `${JSON.stringify(name)} is not a valid name`,
      hint: '1 to 24 characters of a-z, 0-9 and -',
    });
  if (names.has(name))
    return at.wrong({
      code: 'duplicate-name',
      message: `two policies have the name ${name}`,
      hint: 'rename one of them',
    });
  names.add(name);
  return name;
}

/** The default is all tasks and templates. */
function targetAt(place: ProjectValue): string | undefined {
  const at = place.at('target');
  if (at.value === undefined) return '*';
  const target = textAt(place, 'target', 'an address, where * stands for any text');
  if (target === undefined) return undefined;
  const problem = patternProblem(target);
  return problem === undefined ? target : at.wrong(problem);
}

function textAt(place: ProjectValue, field: string, hint: string): string | undefined {
  const at = place.at(field);
  const { value } = at;
  if (value === undefined)
    return place.wrong({ code: 'missing-field', message: `the policy has no ${field}`, hint }, 'key');
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  return at.wrong({ code: 'wrong-type', message: `${field} is not text`, hint });
}

function schemaAt(
  place: ProjectValue,
  value: Readonly<Record<string, unknown>>,
): PolicySource['schema'] | undefined {
  const inline = Object.hasOwn(value, 'schema');
  if (inline === Object.hasOwn(value, 'file')) {
    return place.wrong(
      {
        code: inline ? 'invalid-value' : 'missing-field',
        message: `the policy has ${inline ? 'both' : 'neither'} schema ${inline ? 'and' : 'nor'} file`,
        hint: 'write either a JSON Schema, or the path of a JSON or YAML file',
      },
      'key',
    );
  }
  if (!inline) {
    const file = textAt(place, 'file', 'the path of a JSON or YAML file in the project');
    return file === undefined ? undefined : { file, location: place.at('file').location };
  }
  const at = place.at('schema');
  if (at.value === undefined || (!isObject(at.value) && typeof at.value !== 'boolean'))
    return at.wrong({
      code: 'wrong-type',
      message: 'schema is not a mapping',
      hint: 'write a JSON Schema (draft-07)',
    });
  return { value: at.value, origin: (path) => at.origin(path) };
}
