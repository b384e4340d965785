import schema from '../../schemas/sandbox.schema.json' with { type: 'json' };
import type { SomeChoices } from '../model/generated/sandbox.ts';

export type ChoiceName = keyof SomeChoices;

/** One value for every choice. Nothing else in the sandbox decides a point that the interface leaves open. */
export type Choices = Required<SomeChoices>;

/** One point that the interface leaves open, with every answer that the sandbox can give. */
interface Choice {
  /** The first is the default. */
  readonly values: readonly (string | number)[];
  /** What is left open, and where the interface says so. */
  readonly why: string;
  /** Values that random combinations usually leave out: a client has to stay safe under them, but cannot always converge. */
  readonly harsh: readonly (string | number)[];
}

const CHOICES = schema.definitions.choices.properties;

export const CHOICE_NAMES = Object.keys(CHOICES) as ChoiceName[];

export function choiceOf(name: ChoiceName): Choice {
  const choice = CHOICES[name];
  return {
    values: choice.enum,
    why: choice.description,
    harsh: 'x-harsh' in choice ? choice['x-harsh'] : [],
  };
}

/** The defaults, with some of them replaced. */
export function makeChoices(overrides: SomeChoices = {}): Choices {
  const defaults = Object.fromEntries(CHOICE_NAMES.map((name) => [name, choiceOf(name).values[0]]));
  return { ...defaults, ...overrides } as unknown as Choices;
}

/**
 * One value for every choice, drawn by `pick` (an index below `count`). Harsh values are drawn only on request.
 */
export function drawChoices(pick: (count: number) => number, harsh = false): Choices {
  const drawn = CHOICE_NAMES.map((name) => {
    const { values, harsh: severe } = choiceOf(name);
    const allowed = harsh ? values : values.filter((value) => !severe.includes(value));
    return [name, allowed[pick(allowed.length)] ?? values[0]] as const;
  });
  return Object.fromEntries(drawn) as unknown as Choices;
}

/** Reads `NAME=VALUE` or a name and a value of any scalar type; a text says what is wrong. */
export function parseChoice(name: string, value: unknown): SomeChoices | string {
  if (!isChoiceName(name)) return `unknown choice ${name}; the choices are: ${CHOICE_NAMES.join(', ')}`;
  const { values } = choiceOf(name);
  const found = values.find((allowed) => String(allowed) === String(value));
  if (found === undefined) return `${name} is one of ${values.join(', ')}, not ${String(value)}`;
  return { [name]: found };
}

function isChoiceName(name: string): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}
