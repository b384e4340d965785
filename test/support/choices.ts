import schema from '../../schemas/sandbox.schema.json' with { type: 'json' };
import type { ErrorCode } from '../../src/core/model/generated/sandbox.ts';
import { CHOICE_NAMES, type ChoiceName, type Choices } from '../../src/sandbox/choices.ts';

/** The 17 codes (interface, "Errors"). */
export const ERROR_CODES = schema.definitions.errorCode.enum as readonly ErrorCode[];

/** One point that the interface leaves open, with every answer that the sandbox can give. */
interface Choice {
  /** The first is the default. */
  readonly values: readonly (string | number)[];
  /** The open point, and where the interface mentions it. */
  readonly why: string;
  /** Values that random combinations usually leave out. A client must stay safe under them, but cannot always converge. */
  readonly harsh: readonly (string | number)[];
}

export function choiceOf(name: ChoiceName): Choice {
  const choice = schema.definitions.choices.properties[name];
  return {
    values: choice.enum,
    why: choice.description,
    harsh: 'x-harsh' in choice ? choice['x-harsh'] : [],
  };
}

/** One value for every choice, drawn by `pick` (an index below `count`). Harsh values are drawn only on request. */
export function drawChoices(pick: (count: number) => number, harsh = false): Choices {
  const drawn = CHOICE_NAMES.map((name) => {
    const { values, harsh: severe } = choiceOf(name);
    const allowed = harsh ? values : values.filter((value) => !severe.includes(value));
    return [name, allowed[pick(allowed.length)] ?? values[0]] as const;
  });
  return Object.fromEntries(drawn) as unknown as Choices;
}
