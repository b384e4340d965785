import { DRIFT_FORMAT } from '../model/generated/drift.ts';
import { FLEET_FORMAT } from '../model/generated/fleet-report.ts';
import { LOG_FORMAT } from '../model/generated/log.ts';
import { PLAN_FORMAT } from '../model/generated/plan.ts';
import { REHEARSAL_FORMAT } from '../model/generated/rehearsal.ts';
import { REPORT_FORMAT } from '../model/generated/report.ts';
import { RESULT_FORMAT } from '../model/generated/result.ts';
import { STATUS_FORMAT } from '../model/generated/status.ts';
import * as schemas from '../model/generated/validators.js';
import type { AnyDocument } from './register.ts';

/** The validators have their own file because they are large and only readers of a saved document need them. */
const SCHEMAS: Readonly<Record<AnyDocument['format'], schemas.Validator>> = {
  [PLAN_FORMAT]: schemas.planSchema,
  [REPORT_FORMAT]: schemas.reportSchema,
  [DRIFT_FORMAT]: schemas.driftSchema,
  [STATUS_FORMAT]: schemas.statusSchema,
  [REHEARSAL_FORMAT]: schemas.rehearsalSchema,
  [FLEET_FORMAT]: schemas.fleetSchema,
  [LOG_FORMAT]: schemas.logSchema,
  [RESULT_FORMAT]: schemas.resultSchema,
};

/** What the schema of its format says against a document, to append to a sentence. Undefined for a valid document. */
export function problemWith(document: AnyDocument): string | undefined {
  const schema = SCHEMAS[document.format];
  if (schema(document)) return undefined;
  const [problem] = schema.errors ?? [];
  return ` (${problem?.instancePath || 'the document'} ${problem?.message ?? 'is not valid'})`;
}
