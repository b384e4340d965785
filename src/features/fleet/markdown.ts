import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { count } from '../../render/layout.ts';
import { folded, row, tableHead } from '../../render/markdown/blocks.ts';
import { htmlCode, markdownCode, markdownFence, markdownText } from '../../render/markdown/escape.ts';
import {
  type Fitted,
  type FittedSection,
  fitDocument,
  type MarkdownDocument,
  wholeDocument,
} from '../../render/markdown/fit.ts';
import { hiddenHeader } from '../../render/markdown/header.ts';
import { visible } from '../../render/untrusted.ts';
import {
  besideOf,
  isNotable,
  reasonText,
  resultsText,
  sumsText,
  unitPlaceText,
  unitStakesText,
} from './words.ts';

/** The output of the command for a unit alone, as text. */
type Detail = (unit: FleetUnit) => string;

/** A fleet for one comment: the result, a table of the units (the worst first), and folded details of each. */
export function fleetMarkdown(report: FleetReport, detail: Detail): string {
  return wholeDocument(documentOf(report, detail));
}

/** The same in at most `maxBytes`: first the result and the failures get room, then the table, then details by rank. */
export function fleetMarkdownWithin(report: FleetReport, detail: Detail, maxBytes: number): Fitted {
  return fitDocument(documentOf(report, detail), maxBytes);
}

function documentOf(report: FleetReport, detail: Detail): MarkdownDocument {
  const { command, fleet, digest = null, units, exit_code } = report;
  // An apply relies on the hidden digest in a comment. If some plans failed, there is no digest to rely on.
  const approvable = exit_code === 0 || exit_code === 2 ? digest : null;
  const sums = sumsText(report);
  const digestText = digest === null ? [] : [`Digest ${markdownCode(digest)}.`];
  const beside = besideOf(report).map(
    ({ code, message }) => `${markdownCode(code)}: ${markdownText(message)}`,
  );
  const head = [
    hiddenHeader(`fleet${command}`, { project: fleet, environment: null, digest: approvable }),
    `## \`tradeform fleet ${command}\` for ${markdownCode(fleet)}`,
    '',
    `**${resultsText(report)}.** ${[...(sums === undefined ? [] : [`${sums}.`]), ...digestText].join(' ')}`.trimEnd(),
    ...beside.flatMap((line) => ['', line]),
  ].join('\n');
  return {
    head,
    seeAll: `To see all of it, run \`tradeform fleet ${command}\`.`,
    sections: [tableSection(units), detailsSection(units.filter(isNotable), detail)],
  };
}

function tableSection(units: readonly FleetUnit[]): FittedSection {
  return {
    name: `the table of ${units.length} units`,
    forms: [
      {
        weight: 2,
        head: tableHead(['unit', 'result', 'exit code', 'at stake', 'why']),
        items: units.map((unit) =>
          row([
            markdownCode(unit.name),
            unit.result,
            String(unit.exit_code),
            unit.stakes === null ? '' : unitStakesText(unit.stakes),
            markdownText(reasonText(unit)),
          ]),
        ),
        rest: (left) => row([`… and ${left} more`, '', '', '', '']),
        misses: (left) => (left === 0 ? undefined : `${left} units`),
      },
    ],
  };
}

/** The maximum of lines for a unit, so that one unit leaves room for others. */
const MOST_LINES = 120;

/** One item for each unit, the worst first. There is room for some of them. */
function detailsSection(units: readonly FleetUnit[], detail: Detail): FittedSection {
  const items = units.flatMap((unit) => {
    const lines = detail(unit).trimEnd().split('\n').map(visible);
    if (lines.join('') === '') return [];
    const left = lines.length - MOST_LINES;
    const shown = left > 0 ? [...lines.slice(0, MOST_LINES), `… and ${count(left, 'more line')}`] : lines;
    const body = markdownFence('text', shown).join('\n');
    return [`${folded(`${htmlCode(unit.name)}: ${htmlCode(unitPlaceText(unit))}`, body)}\n`];
  });
  const name = (left: number) => `details of ${count(left, 'unit')}`;
  const form = {
    weight: 1,
    items,
    rest: (left: number) => `… and ${name(left)}`,
    misses: (left: number) => (left === 0 ? undefined : name(left)),
  };
  return items.length === 0 ? { forms: [] } : { name: name(items.length), forms: [form] };
}
