import {
  drift,
  fleet,
  rehearsal,
  report,
  result,
  status,
  switching,
  type Validator,
} from '../../model/generated/validators.js';
import { firstProblem, isPlan } from '../../planning/plan-schema.ts';
import type { PagedFormat } from './pages.ts';

/** The validators have their own file because they are large and only readers of a saved document need them. */
const VALIDATORS: Readonly<Record<Exclude<PagedFormat, 'tradeform.plan/1'>, Validator>> = {
  'tradeform.report/1': report,
  'tradeform.drift/1': drift,
  'tradeform.status/1': status,
  'tradeform.switch/1': switching,
  'tradeform.rehearsal/1': rehearsal,
  'tradeform.fleet/1': fleet,
  'tradeform.result/1': result,
};

/** The schema error of a document, to append to a sentence. Undefined for a valid document. */
export function problemWith(document: unknown, format: PagedFormat): string | undefined {
  if (format === 'tradeform.plan/1') return isPlan(document) ? undefined : firstProblem();
  const validator = VALIDATORS[format];
  if (validator(document)) return undefined;
  const [problem] = validator.errors ?? [];
  return ` (${problem?.instancePath || 'the document'} ${problem?.message ?? 'is not valid'})`;
}
