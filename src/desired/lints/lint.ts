import type { Manifest } from '../../manifest/manifest.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import type { Json } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { CONFIG, type ConfigPlace, type RuleInput } from '../rules/rule.ts';

export interface LintInput extends RuleInput {
  /** Every document as it is written, presets and wallet books with them. */
  readonly documents: readonly Manifest[];
}

export interface LintPlace {
  readonly manifest: Manifest;
  readonly path: Path;
}

/**
 * Says a finding at a place: what is there, with its values, and what to do. Where two places are wrong together, `other` is
 * the second one: an annotation there turns the finding off as well. False where one does.
 */
export type LintReport = (
  manifest: Manifest,
  path: Path,
  message: string,
  hint: string,
  other?: LintPlace,
) => boolean;

/**
 * Something that the service accepts and that may not be meant. It warns and never fails anything. It sees manifests that
 * are free of errors, but asks of them no more than a rule does: a field may be missing or of another type.
 */
export interface Lint {
  /** Its findings have this code, and an annotation turns it off by it. */
  readonly code: DiagnosticCode;
  check(input: LintInput, report: LintReport): void;
}

/** A lint of the configs of some schemas, each by itself. */
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

/** A text that is there and says something. */
export function isSet(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
