import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { compareDecimals, isDecimal } from '../../model/decimal.ts';
import type { ReportAt } from './rule.ts';

/** Reports an upper bound below its lower one; empty and absent bounds are open. */
export function checkRange(
  manifest: Manifest,
  at: Path,
  lower: string,
  upper: string,
  report: ReportAt,
): void {
  const least = manifest.text(...at, lower);
  const most = manifest.text(...at, upper);
  if (least === undefined || most === undefined || !isDecimal(least) || !isDecimal(most)) return;
  if (compareDecimals(most, least) >= 0) return;
  report(manifest, [...at, upper], {
    code: 'range-inverted',
    message: `${upper} ${most} is below ${lower} ${least}`,
    hint: 'swap them, or write "" for no bound',
  });
}
