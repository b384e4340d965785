import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import type { FleetReport, FleetUnit } from '../../model/generated/fleet-report.ts';
import { type FindingsDocument, type FormatFinding, findingsOf } from '../../render/formats/finding.ts';
import { besideOf, reasonText } from './words.ts';

/** A fleet as findings: the diagnostics of each unit. */
export function fleetFindings(report: FleetReport): Omit<FindingsDocument, 'version' | 'root'> {
  return {
    command: `fleet ${report.command}`,
    exitCode: report.exit_code,
    findings: [
      ...findingsOf(besideOf(report)),
      ...report.units.flatMap((unit) => findingsOfUnit(unit, report.file)),
    ],
    rules: new Map(),
  };
}

/** A unit that is not ok has an error, even if its document says so only with numbers. */
function findingsOfUnit(unit: FleetUnit, fleetFile: string): readonly FormatFinding[] {
  const said = [unit.document?.diagnostics, unit.diagnostics].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const placed = (said as unknown as Diagnostic[]).map((one) => ({
    ...one,
    message: `${unit.name}: ${one.message}`,
    ...(one.location === undefined ? {} : { location: inFolder(one.location, unit.folder, fleetFile) }),
  }));
  const findings = findingsOf(placed);
  if (unit.exit_code === 0 || findings.some(({ level }) => level === 'error')) return findings;
  const message = `${unit.name}: ended with ${unit.exit_code} (${unit.result}) ${reasonText(unit)}`.trim();
  return [...findings, { rule: `fleet/${unit.result}`, level: 'error', message }];
}

/** From the working directory. */
function inFolder(location: Location, folder: string, fleetFile: string): Location {
  const { file } = location;
  return file === fleetFile || folder === '.' ? location : { ...location, file: `${folder}/${file}` };
}
