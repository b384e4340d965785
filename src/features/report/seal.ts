import type { FleetReport } from '../../model/generated/fleet-report.ts';
import type { Plan } from '../../model/generated/plan.ts';
import type { JsonObject } from '../../model/json.ts';
import { SECRET } from '../../model/secret.ts';
import { isAsMade } from '../../planning/plan-file.ts';
import type { Page } from '../../render/html/model.ts';
import { REDACTED } from '../../render/masking/wallets.ts';
import { fleetDigest } from '../fleet/report.ts';

/**
 * What the checksums and digests in a saved document prove. `broken`: the document was changed. `hidden`: a plan has hidden
 * values, so nothing can be computed. `parts`: the digests of a fleet match its plans. `none`: the document has none.
 */
export type Seal = 'whole' | 'parts' | 'hidden' | 'none' | 'broken';

/** The seal of a document with a valid schema, before anything in it is hidden. */
export function sealOf(document: JsonObject): Seal {
  if (document.format === 'tradeform.plan/1') return planSeal(document as unknown as Plan);
  return document.format === 'tradeform.fleet/1' ? fleetSeal(document as unknown as FleetReport) : 'none';
}

function planSeal(plan: Plan): Seal {
  if (isAsMade(plan)) return 'whole';
  return plan.integrity === REDACTED || JSON.stringify(plan).includes(SECRET) ? 'hidden' : 'broken';
}

function fleetSeal({ command, digest, units }: FleetReport): Seal {
  if (digest !== undefined && digest !== fleetDigest(units)) return 'broken';
  const seals = units.map(({ document, digest: listed }): Seal => {
    // For an apply, the document is the report and the plan is missing.
    if (document?.format !== 'tradeform.plan/1') return listed === undefined ? 'none' : 'hidden';
    const plan = document as unknown as Plan;
    const isOther = command === 'plan' && listed !== undefined && listed !== plan.digest;
    return isOther ? 'broken' : planSeal(plan);
  });
  const worst = (['broken', 'hidden'] as const).find((seal) => seals.includes(seal));
  return worst ?? (digest === undefined ? 'none' : 'parts');
}

const FOOT = {
  whole:
    'Made from a saved plan: its checksum and its digest match its content. They do not say who made it, and the digest does not cover messages and sums: approve only a file from a place that you trust.',
  parts:
    'Made from a saved document: its digests match the plans in it. They do not say who made it, and results, messages and sums are not verified: approve only a file from a place that you trust.',
} as const;

/** The text at the head of a page and on stderr if a digest could not be verified. */
export const NOT_VERIFIED =
  'NOT VERIFIED: the saved document hides values or lacks a plan, so its digest cannot be computed and is not shown. Approve only what `tradeform plan` shows.';
const NO_SEAL = 'Made from a saved document that is not verified: it has no checksum.';

/** The page with the result of the verification, and without a digest that nothing proves. */
export function withSeal(page: Page, seal: Exclude<Seal, 'broken'>): Page {
  const { view } = page;
  const { notes = [], footer = [] } = view;
  if (seal === 'whole' || seal === 'parts')
    return { ...page, view: { ...view, footer: [...footer, FOOT[seal]] } };
  if (seal === 'none') return { ...page, view: { ...view, notes: [NO_SEAL, ...notes] } };
  return { ...page, view: { ...view, notes: [NOT_VERIFIED, ...notes], footer: [] } };
}
