import type { Manifest } from '../../manifest/manifest.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { Json } from '../../model/json.ts';
import type { Unused } from '../compose/unused.ts';
import { CONFIG, type RuleInput } from '../rules/rule.ts';

export interface LintInput extends RuleInput {
  readonly documents: readonly Manifest[];
  readonly unused: readonly Unused[];
}

export interface LintPlace {
  readonly manifest: Manifest;
  readonly path: Path;
}

/**
 * Reports a finding at a place: the present values, and what to do. If two places are wrong together, `other` is the second
 * one, and an annotation at either turns the finding off. Returns false if an annotation does.
 */
export type LintReport = (place: LintPlace, message: string, hint: string, other?: LintPlace) => boolean;

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
