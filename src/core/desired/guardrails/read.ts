import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { didYouMean, oneOfHint } from '../../diagnostics/suggest.ts';
import { addressProblem } from '../../manifest/addresses.ts';
import { amountProblem } from '../../manifest/amounts.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { kindSchema, type SchemaNode, schemaAt } from '../../manifest/schema.ts';
import type { Path } from '../../manifest/spans.ts';
import { addressParts, NAME_PATTERN } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { isObject, type Json } from '../../model/json.ts';
import { KINDS } from '../../model/kind.ts';
import {
  type CountLimit,
  GUARDRAILS,
  type Guardrail,
  type GuardrailAction,
  type GuardrailLimits,
  type GuardrailName,
  type GuardrailSettings,
  type Limits,
  type Listed,
  type PolicySource,
  type RiseLimit,
  STANDARD,
} from './settings.ts';

/** A value of the project file by its path. Its problems are reported at that path. */
class ProjectValue {
  constructor(
    private readonly project: Manifest,
    private readonly path: Path,
    private readonly diagnostics: Diagnostic[],
  ) {}

  get value(): Json | undefined {
    return this.project.get(...this.path);
  }

  get location() {
    return this.project.location(this.path);
  }

  /** The place of something below this value. */
  origin(path: Path) {
    return this.project.location([...this.path, ...path]);
  }

  /** The source text of the value: a number as it is written. */
  get written(): string {
    return this.project.sourceText(this.path).split('\n', 1)[0] ?? '';
  }

  at(...path: Path): ProjectValue {
    return new ProjectValue(this.project, [...this.path, ...path], this.diagnostics);
  }

  /** Reports one problem for each value. A problem that the reader found already is not repeated. Always returns undefined. */
  wrong(problem: Problem, on: 'key' | 'value' = 'value'): undefined {
    if (on === 'value' && this.project.isDiagnosed(this.path)) return;
    this.diagnostics.push(this.project.diagnostic(this.path, problem, on));
  }

  says(code: Problem['code'], message: string, hint?: string, on?: 'key'): undefined {
    return this.wrong({ code, message, hint }, on);
  }

  /** A list of texts. Undefined, with a diagnostic, for anything else. */
  texts(what: string): readonly Listed[] | undefined {
    const { value } = this;
    if (!Array.isArray(value)) {
      return this.says('wrong-type', `not a list of ${what}`, `write [${this.written}]`);
    }
    if (value.length > MOST.listed)
      return this.says('out-of-range', `${value.length} ${what}; at most ${MOST.listed} are allowed`);
    const items = value.map((text, index) => {
      const place = this.at(index);
      if (typeof text === 'string' && text !== '') return { text, location: place.location };
      return place.says('wrong-type', `a list of ${what} must contain text`);
    });
    const good = items.filter((item) => item !== undefined);
    return good.length === items.length ? good : undefined;
  }
}

/**
 * The guardrails of one environment. Each comes from the environment, else from the project, else from the defaults. Errors are
 * reported for all environments alike.
 */
export function readGuardrails(
  project: Manifest,
  environment: string | null,
): { readonly guardrails: GuardrailSettings; readonly diagnostics: readonly Diagnostic[] } {
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
  const whole = hasOnly(place, value, 'a guardrail', SETTING_FIELDS);
  const action = actionAt(place.at('action'));
  if (!whole || action === 'off' || action === undefined) return undefined;
  if (Object.hasOwn(value, 'limit')) {
    const limit = read(place.at('limit'));
    return limit === undefined
      ? undefined
      : { limit, action, standard: false, location: place.at('limit').location };
  }
  const standard: Guardrail<Limits[Name]> | undefined = STANDARD[name];
  if (standard !== undefined) return { ...standard, action, location };
  return place.says(
    'missing-field',
    `${name} has no limit`,
    'it has no default: write a limit, or action: off',
    'key',
  );
}

const POLICY_FIELDS: readonly string[] = ['name', 'message', 'target', 'action', 'schema', 'file'];

/** `policies`: a list without the policies that are off. Undefined, with diagnostics, if anything in it is wrong. */
function readPolicies(place: ProjectValue): readonly PolicySource[] | undefined {
  const { value } = place;
  if (value === null) return [];
  if (!Array.isArray(value)) {
    return place.says(
      'wrong-type',
      'policies must be a list of policies',
      'each has name, message, and schema or file',
    );
  }
  if (value.length > MOST.policies) {
    const message = `${value.length} policies; at most ${MOST.policies} are allowed`;
    return place.says('out-of-range', message, 'one schema can check many fields');
  }
  const names = new Set<string>();
  const policies = value.map((_, index) => readPolicy(place.at(index), names));
  const good = policies.filter((policy) => policy !== undefined);
  return good.length < policies.length ? undefined : good.filter((policy) => policy !== 'off');
}

function readPolicy(place: ProjectValue, names: Set<string>): PolicySource | 'off' | undefined {
  const { value } = place;
  if (!isObject(value))
    return place.says('wrong-type', 'a policy is a mapping with name, message, and schema or file');
  const whole = hasOnly(place, value, 'a policy', POLICY_FIELDS);
  const name = nameAt(place, names);
  const message = textAt(place, 'message', 'the text to show when the policy refuses a plan');
  const target = targetAt(place);
  const action = actionAt(place.at('action'));
  const schema = policySchema(place, value);
  if (
    !whole ||
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
    return at.says(
      'invalid-name',
      `${JSON.stringify(name)} is not a valid name`,
      '1 to 24 characters of a-z, 0-9 and -',
    );
  if (names.has(name))
    return at.says('duplicate-name', `two policies have the name ${name}`, 'rename one of them');
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
  if (value === undefined) return place.says('missing-field', `the policy has no ${field}`, hint, 'key');
  if (typeof value === 'string' && value.trim() !== '') return value.trim();
  return at.says('wrong-type', `${field} is not text`, hint);
}

function policySchema(
  place: ProjectValue,
  value: Readonly<Record<string, unknown>>,
): PolicySource['schema'] | undefined {
  const inline = Object.hasOwn(value, 'schema');
  if (inline === Object.hasOwn(value, 'file')) {
    return place.says(
      inline ? 'invalid-value' : 'missing-field',
      `the policy has ${inline ? 'both' : 'neither'} schema ${inline ? 'and' : 'nor'} file`,
      'write either a JSON Schema, or the path of a JSON or YAML file',
      'key',
    );
  }
  if (!inline) {
    const file = textAt(place, 'file', 'the path of a JSON or YAML file in the project');
    return file === undefined ? undefined : { file, location: place.at('file').location };
  }
  const at = place.at('schema');
  if (at.value === undefined || (!isObject(at.value) && typeof at.value !== 'boolean'))
    return at.says('wrong-type', 'schema is not a mapping', 'write a JSON Schema (draft-07)');
  return { value: at.value, origin: (path) => at.origin(path) };
}

const SETTING_FIELDS: readonly string[] = ['limit', 'action'];
const ACTIONS: readonly string[] = ['refuse', 'warn', 'off'];

/** False, with diagnostics, for a mapping with other fields. */
function hasOnly(place: ProjectValue, value: object, what: string, fields: readonly string[]): boolean {
  const unknown = Object.keys(value).filter((key) => !fields.includes(key));
  for (const key of unknown) {
    const hint =
      didYouMean(key, fields) ?? `the fields are ${fields.join(fields.length === 2 ? ' and ' : ', ')}`;
    place.at(key).says('unknown-field', `${what} has no field ${key}`, hint, 'key');
  }
  return unknown.length === 0;
}

/** The default is `refuse`. */
function actionAt(place: ProjectValue): GuardrailAction | 'off' | undefined {
  const { value } = place;
  if (value === undefined) return 'refuse';
  // YAML 1.2 reads off as text. An editor may have turned it into false.
  if (value === false) return 'off';
  const known = ACTIONS.find((action) => action === value);
  if (known !== undefined) return known as GuardrailAction | 'off';
  return place.says('invalid-value', `${place.written} is not an action`, oneOfHint(ACTIONS, String(value)));
}

/** Reads a limit at its place. Undefined, with a diagnostic there, if it is invalid. */
type Reader<Limit> = (place: ProjectValue) => Limit | undefined;

const LIMIT_READERS: { readonly [Name in GuardrailName]: Reader<Limits[Name]> } = {
  max_deletes: readCount,
  max_changes: readCount,
  max_starts: readCount,
  max_buy_amount: amount({ min: '0' }, 'SOL'),
  max_tip: amount({ min: '0' }, 'SOL'),
  max_priority_fee: amount({ min: '0' }, 'SOL'),
  max_slippage: amount({ min: '0', max: '100' }, 'percent'),
  max_factor: amount({ min: '1', max: '1000000' }, undefined),
  max_exposure: amount({ min: '0' }, 'SOL'),
  max_exposure_rise: readRise,
  max_task_exposure: amount({ min: '0' }, 'SOL'),
  allowed_dexes: (place) => checked(place.texts('DEX names'), place, dexProblem),
  allowed_wallets: readWallets,
  forbidden_wallets: readWallets,
  require_label: (place) =>
    place.value === true ? true : checked(place.texts('labels'), place, labelProblem),
  protect: (place) => checked(place.texts('addresses'), place, patternProblem),
};

const COUNT = /^(0|[1-9][0-9]{0,6})(%?)$/;

/** `5`, or `20%` of the tasks that the project owns. */
function readCount(place: ProjectValue): CountLimit | undefined {
  const { value } = place;
  const match = typeof value === 'string' || typeof value === 'number' ? COUNT.exec(String(value)) : null;
  const number = Number(match?.[1]);
  if (match === null || (match[2] === '%' && number > 100)) {
    return place.says(
      'invalid-value',
      `${place.written} is neither a whole number nor a percentage from 0% to 100%`,
      'for example 5, or "20%" of the tasks that the project owns',
    );
  }
  return match[2] === '%' ? { count: 0, percent: number } : { count: number, percent: 0 };
}

const PERCENT = /^(0|[1-9][0-9]{0,6})%$/;

/** SOL, or `20%` of what is at stake. */
function readRise(place: ProjectValue): RiseLimit | undefined {
  const { value } = place;
  const percent = typeof value === 'string' ? PERCENT.exec(value)?.[1] : undefined;
  if (percent !== undefined) return { percent: Number(percent) };
  if (typeof value === 'string' && value.endsWith('%')) {
    return place.says(
      'invalid-value',
      `${place.written} is not a whole percentage`,
      'for example "20%" of what is at stake, or "0.5" SOL',
    );
  }
  const sol = amount({ min: '0' }, 'SOL')(place);
  return sol === undefined ? undefined : { sol };
}

/** `unit` is undefined for a plain factor. */
function amount(range: NonNullable<SchemaNode['x-decimal']>, unit: string | undefined): Reader<string> {
  const schema: SchemaNode = { 'x-decimal': range, ...(unit === undefined ? {} : { 'x-unit': unit }) };
  return (place) => {
    const { value } = place;
    if (typeof value !== 'string')
      return place.says(
        'wrong-type',
        unit === undefined ? 'not a factor' : `not an amount in ${unit}`,
        unit === undefined ? 'for example 10' : 'for example "0.5"',
      );
    const problem = amountProblem(value, schema);
    return problem === undefined ? value : place.wrong(problem);
  };
}

function checked(
  items: readonly Listed[] | undefined,
  place: ProjectValue,
  problemOf: (text: string) => Problem | undefined,
): readonly Listed[] | undefined {
  const bad = (items ?? []).flatMap(({ text }, index) => {
    const problem = problemOf(text);
    return problem === undefined ? [] : [{ index, problem }];
  });
  for (const { index, problem } of bad) place.at(index).wrong(problem);
  return bad.length === 0 ? items : undefined;
}

/** Every DEX that any kind of task can name is known. */
function dexProblem(text: string): Problem | undefined {
  const lists = ['SniperTask', 'CopyTradeTask'].map(
    (kind) => schemaAt(kindSchema(kind) ?? {}, ['spec', 'config', 'selected_dexes', 0]).enum ?? [],
  );
  const known = [...new Set(lists.flat().map(String))];
  if (known.includes(text)) return undefined;
  const message = `unknown DEX ${JSON.stringify(text)}`;
  return { code: 'invalid-value', message, hint: oneOfHint(known, text) };
}

function labelProblem(text: string): Problem | undefined {
  if (NAME_PATTERN.test(text)) return undefined;
  return {
    code: 'invalid-name',
    message: `${JSON.stringify(text)} is not a name`,
    hint: 'write the metadata.name of a Label',
  };
}

/** Names from wallet books are checked after the manifests are read (`checkNames`). */
function readWallets(place: ProjectValue): readonly Listed[] | undefined {
  return checked(place.texts('wallets'), place, (text) => {
    if (NAME_PATTERN.test(text)) return undefined;
    const problem = addressProblem(text);
    return problem === undefined ? undefined : { code: 'invalid-address', ...problem };
  });
}

const COLLECTIONS: readonly string[] = KINDS.map(({ collection }) => collection);

/** A pattern with a misspelt collection would silently protect nothing. */
function patternProblem(text: string): Problem | undefined {
  if (text.length > MOST.addressPattern)
    return { code: 'invalid-value', message: `${text.length} characters; addresses are shorter` };
  const { collection, name } = addressParts(text);
  if (collection.includes('*') || (COLLECTIONS.includes(collection) && name !== undefined)) return undefined;
  return {
    code: 'invalid-value',
    message: `${JSON.stringify(text)} is not an address`,
    hint:
      didYouMean(collection, COLLECTIONS) ??
      'an address is <collection>/<name>, such as sniper/dawn; * stands for any text',
  };
}
