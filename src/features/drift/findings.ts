import type { DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { type FindingsDocument, type FormatFinding, findingsOf } from '../../render/formats/finding.ts';
import { valueText } from '../../render/value-text.ts';
import { CLASS_WORDS, DRIFT_CLASSES } from './classes.ts';
import { dearestDrift } from './rank.ts';
import { driftName } from './words.ts';

/** The report for the formats for machines: a finding for each item. */
export function driftFindings(
  report: DriftReport,
  exitCode: number,
): Omit<FindingsDocument, 'version' | 'root'> {
  const notes = findingsOf(report.diagnostics);
  const items = dearestDrift(report).items.map(findingOf);
  return {
    command: 'drift',
    exitCode,
    // A problem of the view affects all items.
    findings: [...notes, ...items],
    rules: new Map(DRIFT_CLASSES.map((kind) => [`drift/${kind}`, CLASS_WORDS[kind]])),
  };
}

function findingOf(item: DriftItem): FormatFinding {
  const place = item.fields.find(({ origin }) => origin !== undefined)?.origin;
  return {
    rule: `drift/${item.class}`,
    level: item.fails ? 'error' : item.ignored || item.class === 'foreign' ? 'note' : 'warning',
    message: [`${driftName(item)}: ${item.text}`, ...item.fields.map(fieldText)].join('\n'),
    // The same drift has the same fingerprint in every run, whatever commit or time its sentence names.
    fingerprint: [item.class, item.address ?? item.kind, item.id ?? ''].join(' '),
    ...(item.address === null ? {} : { address: item.address }),
    ...(place === undefined ? {} : { location: place }),
  };
}

function fieldText({ path, before, after, sensitive, commit }: DriftItem['fields'][number]): string {
  const values = sensitive
    ? 'values are secret'
    : `${valueText(before)} on the service, ${valueText(after)} in git`;
  const past = commit === null ? '' : ` (as in ${commit.hash.slice(0, 7)})`;
  return `${path}: ${values}${past}`;
}
