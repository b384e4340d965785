import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/** The schemas that the formats themselves have (schemas/README.md). */
function schemaText(name: string): string {
  return readFileSync(join(import.meta.dirname, 'schemas', name), 'utf8');
}

// The schema of SARIF has a pattern that is none with the `u` flag.
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
addFormats.default(ajv);
const isSarif = ajv.compile(JSON.parse(schemaText('sarif-2.1.0.schema.json')) as object);
const isGitlabEntry = ajv.compile(JSON.parse(schemaText('codeclimate.schema.json')) as object);

/** What is wrong with a SARIF log; the empty text where nothing is. */
export function sarifProblem(log: unknown): string {
  return isSarif(log) ? '' : ajv.errorsText(isSarif.errors);
}

/** The same of a code quality report of GitLab, with what its documentation asks for beyond the schema. */
export function gitlabProblem(report: unknown): string {
  if (!Array.isArray(report)) return 'not a list';
  for (const entry of report as unknown[]) {
    if (!isGitlabEntry(entry)) return ajv.errorsText(isGitlabEntry.errors);
    const {
      location,
      severity,
      check_name: rule,
    } = entry as {
      readonly location: { readonly path?: string; readonly lines?: { readonly begin?: number } };
      readonly severity: string;
      readonly check_name?: string;
    };
    if (location.path === undefined || location.path.startsWith('/') || location.path.startsWith('./'))
      return `path ${location.path}`;
    if (!Number.isInteger(location.lines?.begin)) return 'no line';
    if (!['info', 'minor', 'major', 'critical', 'blocker'].includes(severity)) return severity;
    if (rule === undefined) return 'no check_name';
  }
  const marks = (report as { readonly fingerprint: string }[]).map(({ fingerprint }) => fingerprint);
  return new Set(marks).size === marks.length ? '' : 'a fingerprint twice';
}
