import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemWords } from '../../command/system-words.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { fleetDigest } from '../../documents/fleet.ts';
import { type AnyDocument, DOCUMENT_FORMATS } from '../../documents/register.ts';
import { FLEET_FORMAT, type FleetReport } from '../../model/generated/fleet-report.ts';
import { PLAN_FORMAT, type Plan } from '../../model/generated/plan.ts';
import { isObject } from '../../model/json.ts';
import { SECRET } from '../../model/secret.ts';
import { isAsMade } from '../../planning/plan-file.ts';
import { goalOf } from '../../project/door/straying.ts';
import type { View } from '../../render/view.ts';

/** Larger than any document of tradeform. */
const MAX_BYTES = 512 * 1024 * 1024;

export interface SavedDocument {
  readonly document: AnyDocument;
  readonly seal: Exclude<Seal, 'broken'>;
}

/**
 * Reads a document that `-o json` or `--report json=FILE` wrote, perhaps for somebody else. It must match its schema, and its
 * plans must match their checksums and digests. Fails (exit 3) with `document-invalid`.
 */
export async function readDocument(file: string, cwd: string): Promise<SavedDocument> {
  const read = await readJson(file, cwd);
  if (!isDocument(read)) {
    const format = isObject(read) ? read.format : undefined;
    const found =
      typeof format === 'string'
        ? `has the format ${JSON.stringify(format)}`
        : 'is not a document of tradeform';
    throw invalidDocument(
      `${file} ${found}`,
      `Pass what \`-o json\` printed; the formats are ${DOCUMENT_FORMATS.join(', ')}.`,
    );
  }
  const { problemWith } = await import('../../documents/schemas.ts');
  const require = (part: unknown) => {
    const problem = isDocument(part) ? problemWith(part) : ' (an unknown format)';
    if (problem !== undefined) throw invalidDocument(`${file} is not valid${problem}`);
  };
  require(read);
  const parts = documentsIn(read);
  parts.forEach(require);
  const seal = checkedSeal(read, file);
  if (seal === 'broken')
    throw invalidDocument(
      `${file} was changed after it was written: its content does not match its checksum or digest`,
      'Run the command again with this version of tradeform.',
    );
  return { document: read, seal };
}

/** A document of tradeform by its format. Only its schema says whether it is valid. */
function isDocument(read: unknown): read is AnyDocument {
  return isObject(read) && DOCUMENT_FORMATS.some((format) => format === read.format);
}

/** A document, or those of the accounts in it. */
export function documentsIn(document: AnyDocument): readonly AnyDocument[] {
  if (document.format !== FLEET_FORMAT) return [document];
  return document.units.flatMap((unit) => unit.document ?? []);
}

function checkedSeal(document: AnyDocument, file: string): Seal {
  try {
    return sealOf(document);
  } catch (error) {
    // The schemas leave some texts open, for example amounts. Documents of tradeform never use that freedom.
    throw invalidDocument(
      `${file} cannot be verified: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function readJson(file: string, cwd: string): Promise<unknown> {
  try {
    const path = goalOf(resolve(cwd, file));
    const found = await stat(path);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > MAX_BYTES) throw new Error('it is larger than any document of tradeform');
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    // For invalid JSON, the system's message would quote a part of the file.
    const why = error instanceof SyntaxError ? 'it is not JSON' : systemWords(error);
    throw invalidDocument(`${file} cannot be read: ${why}`);
  }
}

export function invalidDocument(
  message: string,
  hint = 'Run the command again with -o json or --report json=FILE.',
): CommandFailure {
  return CommandFailure.of(3, 'document-invalid', message, hint);
}

/**
 * What the checksums and digests in a saved document prove. `broken`: the document was changed. `hidden`: a plan has hidden
 * values, so nothing can be computed. `parts`: the digests of a fleet match its plans. `none`: the document has none.
 */
type Seal = 'whole' | 'parts' | 'hidden' | 'none' | 'broken';

/** The seal of a document with a valid schema, before anything in it is hidden. */
function sealOf(document: AnyDocument): Seal {
  if (document.format === PLAN_FORMAT) return planSeal(document);
  return document.format === FLEET_FORMAT ? fleetSeal(document) : 'none';
}

function planSeal(plan: Plan): Seal {
  if (isAsMade(plan)) return 'whole';
  return JSON.stringify(plan).includes(SECRET) ? 'hidden' : 'broken';
}

function fleetSeal({ command, digest, units }: FleetReport): Seal {
  if (digest !== undefined && digest !== fleetDigest(units)) return 'broken';
  const seals = units.map(({ document, digest: listed }): Seal => {
    // For an apply, the document is the report and the plan is missing.
    if (document?.format !== PLAN_FORMAT) return listed === undefined ? 'none' : 'hidden';
    const isOther = command === 'plan' && listed !== undefined && listed !== document.digest;
    return isOther ? 'broken' : planSeal(document);
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
export function withSeal(view: View, seal: Exclude<Seal, 'broken'>): View {
  const { notes = [], footer = [] } = view;
  if (seal === 'whole' || seal === 'parts') return { ...view, footer: [...footer, FOOT[seal]] };
  if (seal === 'none') return { ...view, notes: [NO_SEAL, ...notes] };
  return { ...view, notes: [NOT_VERIFIED, ...notes], footer: [] };
}
