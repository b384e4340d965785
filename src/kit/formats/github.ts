import { count } from '../../core/model/named.ts';
import {
  type FindingsDocument,
  type FormatFinding,
  placeFromRoot,
  saidIn,
} from '../../core/render/finding.ts';
import { visible } from '../../core/render/untrusted.ts';

/** GitHub shows this many of each kind for a step, and silently drops the others. */
const MOST = 10;
/** The runner cuts longer messages. */
const LONGEST = 4096;
/** A title is a column of the check's annotation, 255 characters long. */
const LONGEST_TITLE = 255;

const KINDS = [
  { level: 'error', command: 'error', noun: 'error' },
  { level: 'warning', command: 'warning', noun: 'warning' },
  { level: 'note', command: 'notice', noun: 'note' },
] as const;

/** Workflow commands that create annotations, one on each line. Empty without findings. */
export function githubText(document: FindingsDocument): string {
  const lines = KINDS.flatMap(({ level, command, noun }) => {
    const found = document.findings.filter((finding) => finding.level === level);
    if (found.length <= MOST) return found.map((finding) => annotation(command, finding, document));
    const left = found.length - (MOST - 1);
    return [
      ...found.slice(0, MOST - 1).map((finding) => annotation(command, finding, document)),
      workflowCommand(
        command,
        { title: `tradeform ${document.command}: ${count(left, `more ${noun}`)}` },
        `${count(left, `more ${noun}`)} not shown here: GitHub shows ${MOST} of a kind for each step. The log and the other reports have all of them.`,
      ),
    ];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function annotation(command: string, finding: FormatFinding, document: FindingsDocument): string {
  const { rule, address } = finding;
  const place = placeFromRoot(finding, document);
  const title = [rule, ...(address === undefined ? [] : [visible(address)])].join(' ');
  const lines = saidIn(finding).flatMap((part) => part.split('\n'));
  const text = lines.map(visible).join('\n');
  return workflowCommand(
    command,
    {
      ...(place === undefined ? {} : { file: visible(place.file), line: place.line, col: place.column }),
      title: cut(title, LONGEST_TITLE),
    },
    cut(text, LONGEST),
  );
}

/** `::command name=value,…::data`, as the runner reads it. */
function workflowCommand(
  command: string,
  properties: Readonly<Record<string, string | number>>,
  data: string,
): string {
  const written = Object.entries(properties).map(
    ([name, value]) => `${name}=${escapeData(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${command}${written.length === 0 ? '' : ` ${written.join(',')}`}::${escapeData(data)}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
