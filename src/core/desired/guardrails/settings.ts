import type { Location } from '../../diagnostics/diagnostic.ts';
import type { Path } from '../../manifest/spans.ts';
import type { Json } from '../../model/json.ts';

/** What a guardrail does about a plan that breaks it. `off` is no action: such a guardrail is absent. */
export type GuardrailAction = 'refuse' | 'warn';

/** The limit of a count: the larger of a number and a percentage of the tasks that the project owns, rounded up. */
export interface CountLimit {
  readonly count: number;
  readonly percent: number;
}

/** The maximum rise: in SOL, or as a percentage of the present value. */
export type RiseLimit = { readonly sol: string } | { readonly percent: number };

/** An item of a list and its place. */
export interface Listed {
  readonly text: string;
  readonly location: Location;
}

/** The limits by guardrail. Amounts are decimals as texts: SOL, slippage in percent. */
export interface Limits {
  readonly max_deletes: CountLimit;
  readonly max_changes: CountLimit;
  readonly max_starts: CountLimit;
  readonly max_buy_amount: string;
  readonly max_tip: string;
  readonly max_priority_fee: string;
  readonly max_slippage: string;
  /** A factor, 1 or more. */
  readonly max_factor: string;
  readonly max_exposure: string;
  readonly max_exposure_rise: RiseLimit;
  readonly max_task_exposure: string;
  readonly allowed_dexes: readonly Listed[];
  /** Addresses, or names from a wallet book. */
  readonly allowed_wallets: readonly Listed[];
  readonly forbidden_wallets: readonly Listed[];
  /** `true`: any label. Otherwise one of these. */
  readonly require_label: true | readonly Listed[];
  /** Addresses. `*` stands for any text. */
  readonly protect: readonly Listed[];
}

export type GuardrailName = keyof Limits;

export interface Guardrail<Limit> {
  readonly limit: Limit;
  readonly action: GuardrailAction;
  /** The place of the limit. Absent for a default. */
  readonly location?: Location;
  readonly standard: boolean;
}

export interface PolicySource {
  readonly name: string;
  readonly message: string;
  /** Addresses to which it applies. `*` stands for any text. */
  readonly target: string;
  readonly action: GuardrailAction;
  readonly location: Location;
  /** The schema itself, or its file relative to the project directory. */
  readonly schema:
    | { readonly value: Json; readonly origin: (path: Path) => Location }
    | { readonly file: string; readonly location: Location };
}

/** A guardrail that is off is absent or undefined. */
export type GuardrailLimits = { readonly [Name in GuardrailName]?: Guardrail<Limits[Name]> | undefined };

export interface GuardrailSettings {
  readonly limits: GuardrailLimits;
  readonly policies: readonly PolicySource[];
}

/** The defaults, in the order of reports. schemas/generator/guardrails.mjs has the same values for editors. */
export const STANDARD: { readonly [Name in GuardrailName]: Guardrail<Limits[Name]> | undefined } = {
  protect: undefined,
  max_deletes: standard({ count: 5, percent: 20 }),
  max_changes: undefined,
  max_starts: standard({ count: 10, percent: 50 }),
  max_exposure: undefined,
  max_exposure_rise: undefined,
  max_task_exposure: undefined,
  max_buy_amount: standard('10'),
  max_tip: standard('1'),
  max_priority_fee: standard('1'),
  max_slippage: standard('50'),
  max_factor: standard('10'),
  allowed_dexes: undefined,
  allowed_wallets: undefined,
  forbidden_wallets: undefined,
  require_label: undefined,
};

export const GUARDRAILS = Object.keys(STANDARD) as readonly GuardrailName[];

function standard<Limit>(limit: Limit): Guardrail<Limit> {
  return { limit, action: 'refuse', standard: true };
}
