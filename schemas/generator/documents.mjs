const DIAGNOSTIC = "import type { Diagnostic } from '../../diagnostics/diagnostic.ts';";
const OUTSIDE = "import type { Copy, Outside } from './plan.ts';";

/**
 * The documents of tradeform, by the name of their schema (`schemas/NAME.schema.json`). From a row come the types with the format,
 * the validator and the page.
 *
 * root       the name of the type
 * rename     other names of definitions
 * imports    what the `tsType`s of the schema need
 * printedBy  for the page: the commands that print the document
 */
export const DOCUMENTS = {
  plan: {
    root: 'Plan',
    rename: { diagnostic: 'PlanDiagnostic' },
    printedBy: '`tradeform plan`, and saved by `plan --out`',
  },
  report: {
    root: 'Report',
    imports: [DIAGNOSTIC, "import type { Field, Left, Outside, PlanDiagnostic } from './plan.ts';"],
    printedBy: '`tradeform apply`, `rollback`, `pause`, `resume` and `release`',
  },
  status: { root: 'StatusReport', imports: [DIAGNOSTIC, OUTSIDE], printedBy: '`tradeform status`' },
  drift: {
    root: 'DriftReport',
    rename: { class: 'DriftClass', commit: 'DriftCommit', place: 'DriftPlace' },
    imports: [DIAGNOSTIC, OUTSIDE],
    printedBy: '`tradeform drift`',
  },
  log: { root: 'RunLog', imports: [DIAGNOSTIC], printedBy: '`tradeform log`' },
  'fleet-report': {
    root: 'FleetReport',
    imports: [
      DIAGNOSTIC,
      "import type { DriftReport } from './drift.ts';",
      "import type { Outside, Plan } from './plan.ts';",
      "import type { Report } from './report.ts';",
      "import type { ResultDocument } from './result.ts';",
      "import type { StatusReport } from './status.ts';",
    ],
    printedBy: '`tradeform fleet` and `pause --all-environments`',
  },
  result: {
    root: 'ResultDocument',
    imports: [DIAGNOSTIC],
    printedBy:
      'the other commands, such as `validate`, `export` and `doctor`, and every command that fails before it has another document',
  },
};

/** `tradeform.fleet/1` → `fleet`. */
function wordOf({ properties }) {
  return properties.format.const.slice('tradeform.'.length, properties.format.const.indexOf('/'));
}

/** `PLAN_FORMAT`: the constant with the format, which no other file spells. Undefined for what is no document. */
export function formatName(schema) {
  return schema.properties?.format?.const === undefined
    ? undefined
    : `${wordOf(schema).toUpperCase()}_FORMAT`;
}

/** `planSchema`. */
export function validatorName(schema) {
  return `${wordOf(schema)}Schema`;
}
