import type { DesiredState } from '../desired/state.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { RuleChange } from '../model/generated/plan.ts';
import type { LiveState } from '../model/resource.ts';
import type { Guardrails } from './guardrails/compiled.ts';
import type { Override } from './guardrails/override.ts';
import type { NeverNamed } from './identity/never-named.ts';
import type { Only } from './only/selection.ts';
import type { BaseGuardrails } from './rules/base-guardrails.ts';

/** The input of a plan; time and origin come in as values, so that equal input gives equal bytes. */
export interface PlanInput {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly baseUrl: string;
  readonly toolVersion: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly source: {
    readonly commit: string | null;
    readonly dirty: boolean;
    readonly manifestsDigest: string;
  };
  readonly options: PlanOptions;
  /** The guardrails that judge the plan once it is made; `NO_GUARDRAILS` refuses nothing. */
  readonly guardrails: Guardrails;
  /** `--base`: what the rules are otherwise than there, and the guardrails of the base that are asked as well. */
  readonly baseRules?: { readonly changes: readonly RuleChange[]; readonly guardrails: BaseGuardrails };
  /** Warnings from reading and compiling; they travel with the plan. */
  readonly diagnostics: readonly Diagnostic[];
  /** By address: paths of values that came from the environment elsewhere than in `desired`, and may still be live. */
  readonly furtherSecrets?: ReadonlyMap<string, readonly string[]>;
  /** Owned tasks that git never named; undefined where there are none, or where nobody looked. */
  readonly neverNamed?: NeverNamed;
  /** `--only`: what is left out of the plan; `desired` has the live values of the fields that stay. */
  readonly only?: Only;
  /** The plan is written nowhere: what only its document says stays empty, `integrity` and the digest of the manifests. */
  readonly unsealed?: boolean;
}

export interface PlanOptions {
  /** Addresses or globs (`sniper/*`); only these are changed, with the labels that they need. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  /** Held tasks to start: none, all, or these addresses and globs. */
  readonly resumeStopped: 'none' | 'all' | readonly string[];
  /** Deleting all that the project owns is meant, where no manifest means any of it. */
  readonly allowEmpty: boolean;
  /** Projects whose tasks are taken over, where a manifest means them; names of the right form, and none of this project. */
  readonly takeOver: readonly string[];
  /** Guardrails whose refusals pass, each for one plan. */
  readonly overrides: readonly Override[];
}

export const NO_OPTIONS: PlanOptions = {
  targets: [],
  excludes: [],
  resumeStopped: 'none',
  allowEmpty: false,
  takeOver: [],
  overrides: [],
};
