import { addressProblem } from '../../manifest/addresses.ts';
import { amountProblem } from '../../manifest/amounts.ts';
import type { Problem } from '../../manifest/manifest.ts';
import { kindSchema, type SchemaNode, schemaAt } from '../../manifest/schema.ts';
import { didYouMean, oneOfHint } from '../../manifest/suggest.ts';
import { addressParts, NAME_PATTERN } from '../../model/address.ts';
import { MOST } from '../../model/bounds.ts';
import { KINDS } from '../../model/kind.ts';
import type { ProjectValue } from './read.ts';
import type { CountLimit, GuardrailName, Limits, Listed, RiseLimit } from './settings.ts';

/** Reads a limit at its place. Undefined, with a diagnostic there, if it is invalid. */
type Reader<Limit> = (place: ProjectValue) => Limit | undefined;

export const LIMIT_READERS: { readonly [Name in GuardrailName]: Reader<Limits[Name]> } = {
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
    return place.wrong({
      code: 'invalid-value',
      message: `${place.written} is neither a whole number nor a percentage from 0% to 100%`,
      hint: 'for example 5, or "20%" of the tasks that the project owns',
    });
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
    return place.wrong({
      code: 'invalid-value',
      message: `${place.written} is not a whole percentage`,
      hint: 'for example "20%" of what is at stake, or "0.5" SOL',
    });
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
      return place.wrong({
        code: 'wrong-type',
        message: unit === undefined ? 'not a factor' : `not an amount in ${unit}`,
        hint: unit === undefined ? 'for example 10' : 'for example "0.5"',
      });
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

/** Every DEX that any kind of task can name. */
function dexes(): readonly string[] {
  const lists = ['SniperTask', 'CopyTradeTask'].map(
    (kind) => schemaAt(kindSchema(kind) ?? {}, ['spec', 'config', 'selected_dexes', 0]).enum ?? [],
  );
  return [...new Set(lists.flat().map(String))];
}

function dexProblem(text: string): Problem | undefined {
  const known = dexes();
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
export function patternProblem(text: string): Problem | undefined {
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
