import type { DesiredState } from '../desired/state.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Left, RuleChange } from '../model/generated/plan.ts';
import type { LiveState } from '../model/resource.ts';
import type { Guardrails } from './guardrails/compiled.ts';
import type { Override } from './guardrails/override.ts';
import type { NeverNamed } from './identity/never-named.ts';
import type { BaseGuardrails } from './rules/rules.ts';

/** The input of a plan; time and origin are values, so that equal input gives equal bytes. */
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
    /** How many commits there are up to this one; undefined if that is not known. */
    readonly number: number | undefined;
  };
  readonly options: PlanOptions;
  /** The guardrails that judge the finished plan; `NO_GUARDRAILS` refuses nothing. */
  readonly guardrails: Guardrails;
  /** With `--base`: the rules that differ from the base, and the guardrails of the base that are applied as well. */
  readonly baseRules?: { readonly changes: readonly RuleChange[]; readonly guardrails: BaseGuardrails };
  /** Warnings from reading and compiling; they become part of the plan. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Further secret paths by address, or by the id of a task that the plan leaves alone: of values that came from the environment in other revisions and may still be live.
   */
  readonly furtherSecrets?: ReadonlyMap<string, readonly string[]>;
  /** Owned tasks that git never named; undefined if there are none, or if the history was not read. */
  readonly neverNamed?: NeverNamed;
  /** With `--only`: what the plan leaves out; `desired` contains the live values of these fields. */
  readonly only?: Only;
  /** True for `rollback`: the markers get the number of HEAD, although an earlier commit is applied. */
  readonly numbered?: boolean;
  /** True in a job of GitHub or GitLab. */
  readonly inJob?: boolean;
  /** Addresses, and patterns of them, that an approved plan names: they are no typing errors, also if nothing is there any more. */
  readonly known?: readonly string[];
}

export interface PlanOptions {
  /** Addresses or globs (`sniper/*`); only these are changed, with the labels that they need. */
  readonly targets: readonly string[];
  readonly excludes: readonly string[];
  /** Held tasks to start: none, all, or these addresses and globs. */
  readonly resumeStopped: 'none' | 'all' | readonly string[];
  /** `--allow-empty`: a plan that deletes everything the project owns is allowed. */
  readonly allowEmpty: boolean;
  /** Projects whose tasks are taken over if a manifest describes them; valid names, without this project. */
  readonly takeOver: readonly string[];
  /** Overrides of guardrails, each for one plan. */
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

/** The part that `--only` leaves out of a plan. */
export interface Only {
  /** Addresses at which nothing is done. */
  readonly exclude: ReadonlySet<string>;
  /** Tasks that are not started although the project file resumes stopped tasks. */
  readonly stay: ReadonlySet<string>;
  /** Tasks whose number is renewed, because git changed them since the base (DESIGN 3, "The version", rule 3). */
  readonly renewed: ReadonlySet<string>;
  readonly left: readonly Left[];
}
