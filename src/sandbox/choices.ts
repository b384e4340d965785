import schema from '../../schemas/sandbox.schema.json' with { type: 'json' };
import type { SomeChoices } from '../core/model/generated/sandbox.ts';

export type ChoiceName = keyof SomeChoices;

/**
 * One value for every choice. Every point that the interface leaves open is decided by a choice and by nothing else in the
 * sandbox.
 */
export type Choices = Required<SomeChoices>;

/** The first value of each is the default. */
const CHOICES = schema.definitions.choices.properties;

export const CHOICE_NAMES = Object.keys(CHOICES) as ChoiceName[];

export function makeChoices(overrides: SomeChoices = {}): Choices {
  const defaults = Object.fromEntries(CHOICE_NAMES.map((name) => [name, CHOICES[name].enum[0]]));
  return { ...defaults, ...overrides } as unknown as Choices;
}

/** Reads `NAME=VALUE`, or a name and a value of any scalar type. A text result says what is wrong. */
export function parseChoice(name: string, value: unknown): SomeChoices | string {
  if (!isChoiceName(name)) return `unknown choice ${name}; the choices are: ${CHOICE_NAMES.join(', ')}`;
  const values: readonly (string | number)[] = CHOICES[name].enum;
  const found = values.find((allowed) => String(allowed) === String(value));
  if (found === undefined) return `${name} is one of ${values.join(', ')}, not ${String(value)}`;
  return { [name]: found };
}

function isChoiceName(name: string): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}
