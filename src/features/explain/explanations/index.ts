import type { DiagnosticCode } from '../../../diagnostics/codes.ts';
import { COMPOSITION } from './composition.ts';
import { DRIFT } from './drift.ts';
import type { Explanation } from './explanation.ts';
import { EXPORTING } from './exporting.ts';
import { FILES } from './files.ts';
import { GUARDRAILS } from './guardrails.ts';
import { LINTS } from './lints.ts';
import { PLANNING } from './planning.ts';
import { RULES } from './rules.ts';
import { RUNNING } from './running.ts';
import { SERVICE } from './service.ts';
import { SETTINGS } from './settings.ts';
import { SHAPE } from './shape.ts';

/** A text for every code. Only `explain` loads them. */
export const EXPLANATIONS = {
  ...FILES,
  ...SHAPE,
  ...COMPOSITION,
  ...RULES,
  ...LINTS,
  ...SETTINGS,
  ...SERVICE,
  ...PLANNING,
  ...DRIFT,
  ...GUARDRAILS,
  ...EXPORTING,
  ...RUNNING,
} as const satisfies Readonly<Record<DiagnosticCode, Explanation>>;
