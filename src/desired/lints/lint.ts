import type { Manifest } from '../../manifest/manifest.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { Json } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { CONFIG, type ConfigPlace, type RuleInput } from '../rules/rule.ts';

export interface LintInput extends RuleInput {
  /** Every document as written, including presets and wallet books. */
  readonly documents: readonly Manifest[];
}

export interface LintPlace {
  readonly manifest: Manifest;
  readonly path: Path;
}

/**
 * Reports a finding at a place: the present values, and what to do. If two places are wrong together, `other` is the second
 * one, and an annotation at either turns the finding off. Returns false if an annotation does.
 */
export type LintReport = (
  manifest: Manifest,
  path: Path,
  message: string,
  hint: string,
  other?: LintPlace,
) => boolean;

/**
 * Something that the service accepts and that is probably a mistake. A lint warns and never fails anything. It sees manifests
 * without errors, but must expect, like a rule, that a field is missing or has another type.
 */
export interface Lint {
  /** The code of its findings. An annotation with this code turns it off. */
  readonly code: DiagnosticCode;
  check(input: LintInput, report: LintReport): void;
}

/** A lint that examines each config of some schemas by itself. */
export interface ConfigLint extends Pick<Lint, 'code'> {
  readonly of: readonly ConfigDefinition[];
  check(place: ConfigPlace, report: LintReport): void;
}

/** A path below the config as messages name it: `buy_config_tiers[1].relay_slippage`. */
export function configField(path: Path): string {
  return formatPath(path.slice(CONFIG.length));
}

export function isPositive(value: Json | undefined): value is string {
  return typeof value === 'string' && isDecimal(value) && compareDecimals(value, '0') > 0;
}

/** A non-empty text. */
export function isSet(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
