import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject } from '../../model/json.ts';
import { readAction } from './actions.ts';
import { LIMIT_READERS } from './limits.ts';
import { readPolicies } from './policies.ts';
import { ProjectValue } from './project-value.ts';
import {
  GUARDRAILS,
  type Guardrail,
  type GuardrailLimits,
  type GuardrailName,
  type GuardrailSettings,
  type Limits,
  STANDARD,
} from './settings.ts';

interface GuardrailsResult {
  readonly guardrails: GuardrailSettings;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The guardrails of one environment. Each comes from the environment, else from the project, else from the defaults. Errors are
 * reported for all environments alike.
 */
export function readGuardrails(project: Manifest, environment: string | null): GuardrailsResult {
  const diagnostics: Diagnostic[] = [];
  const common = readSet(project, ['spec', 'guardrails'], diagnostics);
  const sets = Object.keys(project.object('spec', 'environments') ?? {}).map(
    (name) => [name, readSet(project, ['spec', 'environments', name, 'guardrails'], diagnostics)] as const,
  );
  const own = sets.find(([name]) => name === environment)?.[1];
  const limits = { ...STANDARD, ...common.limits, ...own?.limits };
  return { guardrails: { limits, policies: own?.policies ?? common.policies ?? [] }, diagnostics };
}

/** A guardrail that is `undefined` was turned off, which overrides the project and the defaults. */
interface Written {
  readonly limits: GuardrailLimits;
  readonly policies?: GuardrailSettings['policies'] | undefined;
}

function readSet(project: Manifest, path: Path, diagnostics: Diagnostic[]): Written {
  const place = new ProjectValue(project, path, diagnostics);
  const { value } = place;
  if (value === undefined || !isObject(value)) return { limits: {} };
  return {
    // An unreadable guardrail has a diagnostic, and the settings are then unused.
    limits: Object.fromEntries(
      GUARDRAILS.filter((name) => Object.hasOwn(value, name)).map((name) => [
        name,
        readOne(name, place.at(name)),
      ]),
    ),
    policies: Object.hasOwn(value, 'policies') ? readPolicies(place.at('policies')) : undefined,
  };
}

/** The plain limit, or a mapping with limit and action. Undefined if it is off, or wrong and reported. */
function readOne<Name extends GuardrailName>(
  name: Name,
  place: ProjectValue,
): Guardrail<Limits[Name]> | undefined {
  const { value, location } = place;
  if (value === null || (value === false && name === 'require_label')) return undefined;
  const read = LIMIT_READERS[name];
  if (value === undefined || !isObject(value)) {
    const limit = read(place);
    return limit === undefined ? undefined : { limit, action: 'refuse', standard: false, location };
  }
  const action = readAction(place, value);
  if (action === 'off' || action === undefined) return undefined;
  if (Object.hasOwn(value, 'limit')) {
    const limit = read(place.at('limit'));
    return limit === undefined
      ? undefined
      : { limit, action, standard: false, location: place.at('limit').location };
  }
  const standard: Guardrail<Limits[Name]> | undefined = STANDARD[name];
  if (standard !== undefined) return { ...standard, action, location };
  return place.wrong(
    {
      code: 'missing-field',
      message: `${name} has no limit`,
      hint: 'it has no default: write a limit, or action: off',
    },
    'key',
  );
}
