import type { DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { byStake, dearestField, sortedFields } from '../../plan/stakes/cost.ts';
import { DRIFT_CLASSES } from './classes.ts';

/**
 * First running tasks without a manifest, then the classes in order, each by its most expensive field. A lower rank is more
 * expensive.
 */
function driftRank({ class: kind, running, fields }: DriftItem): number {
  const stray = kind === 'unmanaged' && running;
  return (
    (stray ? -1 : DRIFT_CLASSES.indexOf(kind)) * 1_000 +
    dearestField({ running, fields }) +
    (running ? 0 : 500)
  );
}

/** The same report with items and fields sorted by what they can cost. */
export function dearestDrift(report: DriftReport): DriftReport {
  return {
    ...report,
    items: report.items
      .map((item) => ({ ...item, fields: sortedFields(item.fields) }))
      .sort((a, b) => driftRank(a) - driftRank(b) || byStake(a.exposure, b.exposure)),
  };
}
