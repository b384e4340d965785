import type { DriftClass, DriftField, DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { fieldLines } from '../../render/field-lines.ts';
import { hang } from '../../render/layout.ts';
import { selectionText } from '../../render/plan-summary.ts';
import type { TextOptions } from '../../render/plan-text.ts';
import { type Paint, painter, type Tone } from '../../render/style.ts';
import { visible } from '../../render/untrusted.ts';
import { quoted } from '../../render/value-text.ts';
import { dearestDrift } from './rank.ts';
import {
  type DriftGroup,
  driftGroups,
  driftName,
  driftVerdict,
  historyText,
  itemStake,
  policyText,
  sourceText,
  stakesText,
} from './words.ts';

const WIDEST = 120;
const NARROWEST = 40;

const TONES: Readonly<Record<DriftClass, Tone>> = {
  started: 'stop',
  conflict: 'error',
  interrupted: 'error',
  stopped: 'warn',
  changed: 'change',
  missing: 'warn',
  damaged: 'warn',
  pending: 'dim',
  unmanaged: 'warn',
  foreign: 'dim',
};

/** The report for people (DESIGN 9): a pure function of it and the options. Ends with a newline. */
export function driftText(document: DriftReport, options: TextOptions): string {
  const report = dearestDrift(document);
  const columns = Math.min(WIDEST, Math.max(NARROWEST, options.columns));
  const paint = painter(options.color);
  const parts = [
    headLines(report, columns, paint),
    ...driftGroups(report).map((group) => groupLines(group, columns, paint)),
    footLines(report, columns, paint),
    diagnosticLines(report, columns, paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headLines(report: DriftReport, columns: number, paint: Paint): string[] {
  const { project, environment, service, drift, complete } = report;
  const where = environment === null ? '' : `, environment ${visible(environment)}`;
  const account = service.login_username === null ? [] : [`account ${visible(service.login_username)}`];
  const basis = [visible(service.base_url), ...account, `git: ${sourceText(report)}`].join(' · ');
  const selection = selectionText(report, visible);
  const verdict = hang('', driftVerdict(report), columns);
  return [
    ...hang('', `Drift of project ${visible(project)}${where}`, columns).map((line) => paint('title', line)),
    ...hang('', basis, columns).map((line) => paint('dim', line)),
    ...(selection === undefined ? [] : hang('', selection, columns).map((line) => paint('warn', line))),
    '',
    ...verdict.map((line) => paint(drift || !complete ? 'warn' : 'add', line)),
    ...hang('', stakesText(report), columns),
    ...(report.items.some(({ fields }) => fields.length > 0)
      ? hang('', 'Fields: on the service → in git', columns).map((line) => paint('dim', line))
      : []),
  ];
}

function groupLines(group: DriftGroup, columns: number, paint: Paint): string[] {
  const { class: kind, title, items } = group;
  return [
    ...hang('', `${title} (${items.length})`, columns).map((line) => paint(TONES[kind], line)),
    ...items.flatMap((item) => itemLines(item, columns, paint)),
  ];
}

function itemLines(item: DriftItem, columns: number, paint: Paint): string[] {
  const sign = item.running ? '>' : '·';
  const named = item.address === null && item.remark !== null ? ` ${quoted(item.remark)}` : '';
  const what =
    item.kind === 'label' || item.kind.endsWith('-template') || item.id === null
      ? ''
      : item.running
        ? ', running'
        : ', not running';
  const ignored = item.ignored ? ' (ignored)' : '';
  const head = `${visible(driftName(item))}${named}${what}${ignored}`;
  const stake = item.running ? itemStake(item) : undefined;
  return [
    ...hang(`  ${sign} `, head, columns).map((line) => paint('strong', line)),
    ...hang('    ', visible(item.text), columns),
    ...(stake === undefined ? [] : hang('    ', stake, columns)),
    ...(item.class === 'changed' && item.updated_at !== null
      ? hang('    ', `last stored ${visible(item.updated_at)}`, columns).map((line) => paint('dim', line))
      : []),
    ...item.fields.flatMap((field) => fieldBlock(item, field, columns, paint)),
  ];
}

/** A field, and which commit has its live value where the item does not say it already. */
function fieldBlock(item: DriftItem, field: DriftField, columns: number, paint: Paint): string[] {
  const { commit } = field;
  const said = commit === null || commit.hash === item.commit?.hash;
  return [
    ...fieldLines([field], columns, paint),
    ...(said
      ? []
      : hang('        ', `as ${commit.hash.slice(0, 7)} of ${commit.date.slice(0, 10)} has it`, columns).map(
          (line) => paint('dim', line),
        )),
  ];
}

function footLines(report: DriftReport, columns: number, paint: Paint): string[] {
  const history = historyText(report);
  const policy = policyText(report);
  return [
    ...(history === undefined ? [] : hang('', history, columns).map((line) => paint('dim', line))),
    ...(policy === undefined ? [] : hang('', policy, columns).map((line) => paint('warn', line))),
  ];
}

function diagnosticLines({ diagnostics }: DriftReport, columns: number, paint: Paint): string[] {
  return diagnostics.flatMap(({ severity, code, message, hint }) => {
    const head = `${severity === 'info' ? 'note' : severity}[${visible(code)}]: `;
    const tone: Tone = severity === 'error' ? 'error' : severity === 'warning' ? 'warn' : 'dim';
    return [
      ...hang('', `${head}${visible(message)}`, columns).map((line, index) =>
        index === 0 ? line.replace(head, paint(tone, head)) : line,
      ),
      ...(hint === undefined ? [] : hang('  ', visible(hint), columns).map((line) => paint('dim', line))),
    ];
  });
}
