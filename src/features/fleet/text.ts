import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { cells, hang, padEnd } from '../../render/layout.ts';
import { type Paint, painter } from '../../render/style.ts';
import { visible } from '../../render/untrusted.ts';
import {
  isNotable,
  RESULT_TONES,
  reasonText,
  resultsText,
  sumsText,
  unitPlaceText,
  unitStakesText,
} from './words.ts';

interface FleetTextOptions {
  readonly columns: number;
  readonly color: boolean;
  /** The output of the command for a unit alone. Empty if it says nothing more. */
  readonly detail: (unit: FleetUnit) => string;
  /** Problems beside the units. Empty without problems. */
  readonly beside: string;
  /** Show the details of all units, not only of those that need attention. */
  readonly all?: boolean;
}

/**
 * A fleet for a terminal: the result, a line for each unit, and the details of the units that need attention. The worst comes
 * last, where it is seen first.
 */
export function fleetText(
  report: FleetReport,
  { columns, color, detail, beside, all = false }: FleetTextOptions,
): string {
  const paint = painter(color);
  const details = report.units
    .filter((unit) => all || isNotable(unit))
    .map((unit) => ({ unit, text: detail(unit).trimEnd() }))
    .filter(({ text }) => text !== '')
    .map(
      ({ unit, text }) =>
        `${paint('title', `── ${visible(unit.name)} (${visible(unitPlaceText(unit))}) ──`)}\n${text}\n\n`,
    );
  const width = Math.max(0, ...report.units.map(({ name }) => cells(visible(name))));
  const rows = report.units.flatMap((unit, at) =>
    rowLines(unit, report.units[at - 1], { width, columns, paint }),
  );
  const sums = sumsText(report);
  const head = [
    paint('title', `${visible(report.fleet)}, ${report.command}: ${resultsText(report)}`),
    ...(sums === undefined ? [] : hang('', sums, columns)),
    ...(report.digest === undefined ? [] : [`digest ${report.digest}`]),
  ];
  const result = [...head, '', ...rows].map((line) => `${line}\n`).join('');
  return `${details.reverse().join('')}${result}${beside === '' ? '' : `\n${beside}`}`;
}

interface Row {
  readonly width: number;
  readonly columns: number;
  readonly paint: Paint;
}

/** If one gate stopped many units, its reason appears once. */
function rowLines(
  unit: FleetUnit,
  above: FleetUnit | undefined,
  { width, columns, paint }: Row,
): readonly string[] {
  const { name, result, stakes } = unit;
  const start = `  ${padEnd(visible(name), width)}  ${padEnd(result, 11)}  `;
  const reason = reasonText(unit);
  const why =
    reason !== '' && above !== undefined && reasonText(above) === reason ? 'as above' : visible(reason);
  const said = [stakes === null ? '' : unitStakesText(stakes), why].filter((text) => text !== '').join('; ');
  return hang(start, said, columns).map((line) => paint(RESULT_TONES[result], line.trimEnd()));
}
