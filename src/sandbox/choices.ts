import { ANSWER_CHOICES } from './choices/answers.ts';
import type { Choice } from './choices/choice.ts';
import { CONFIG_CHOICES } from './choices/configs.ts';
import { LIST_CHOICES } from './choices/lists.ts';
import { WRITE_CHOICES } from './choices/writes.ts';

/**
 * Everything that the interface calls "not shown" or leaves ambiguous, as data: one name, the allowed values (the first
 * is the default) and why it is open. Nothing else in the sandbox decides such a point.
 */
const CHOICES = { ...ANSWER_CHOICES, ...LIST_CHOICES, ...WRITE_CHOICES, ...CONFIG_CHOICES } as const;

export type ChoiceName = keyof typeof CHOICES;

/** One value for every choice. */
export type Choices = { readonly [N in ChoiceName]: (typeof CHOICES)[N]['values'][number] };

export const CHOICE_NAMES = Object.keys(CHOICES) as ChoiceName[];

/** A choice without its precise value type, for code that goes through all of them. */
export function choiceOf(name: ChoiceName): Choice<string | number> {
  return CHOICES[name] as unknown as Choice<string | number>;
}

/** The defaults, with some of them replaced. */
export function makeChoices(overrides: Partial<Choices> = {}): Choices {
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
export function parseChoice(name: string, value: unknown): Partial<Choices> | string {
  if (!isChoiceName(name)) return `no choice is called ${name}; there are: ${CHOICE_NAMES.join(', ')}`;
  const { values } = choiceOf(name);
  const found = values.find((allowed) => String(allowed) === String(value));
  if (found === undefined) return `${name} is one of ${values.join(', ')}, not ${String(value)}`;
  return { [name]: found };
}

function isChoiceName(name: string): name is ChoiceName {
  return Object.hasOwn(CHOICES, name);
}
