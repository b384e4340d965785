import { compareTexts } from '../../model/compare-texts.ts';
import type { Rehearsal } from '../../model/generated/rehearsal.ts';
import { count, hang, padEnd } from '../../render/layout.ts';
import { secondsText } from '../../render/paused-times.ts';
import type { Paint } from '../../render/style.ts';
import { visible } from '../../render/untrusted.ts';

/** What a rehearsal came to, for people: the verdict, the requests in their order, and how long each task does not trade. */
export function rehearsalText(rehearsal: Rehearsal, columns: number, paint: Paint): string {
  const parts = [
    verdict(rehearsal, columns, paint),
    troubleLines(rehearsal, columns, paint),
    pausedLines(rehearsal, paint),
    requestLines(rehearsal, columns, paint),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** The same without the requests. */
export function rehearsalVerdict(rehearsal: Rehearsal, columns: number, paint: Paint): string {
  return `${verdict(rehearsal, columns, paint).join('\n')}\n`;
}

function verdict(
  { ok, requests, duration_ms, latency_ms, concurrency, running_after }: Rehearsal,
  columns: number,
  paint: Paint,
) {
  const writes = requests.filter(({ method }) => method !== 'GET').length;
  const size = `${count(requests.length, 'request')}, ${writes} of them writes, ${secondsText(duration_ms)} at ${latency_ms} ms an answer and ${concurrency} at once; ${count(running_after, 'task')} running at the end`;
  const said = ok
    ? 'The rehearsal went through, and a second plan is empty'
    : 'The rehearsal did not go through';
  return hang('', `${said}: ${size}.`, columns).map((line) => paint(ok ? 'title' : 'error', line));
}

function troubleLines({ failures, left_paused, second_plan }: Rehearsal, columns: number, paint: Paint) {
  const rest = second_plan ?? [];
  return [
    ...left_paused.flatMap(({ address, text }) =>
      hang('  ■ ', `${visible(address)} would be left paused: ${visible(text)}`, columns),
    ),
    ...failures.flatMap(({ address, status, text }) =>
      hang('  ✗ ', `${visible(address)} ${status}: ${visible(text)}`, columns),
    ),
    ...(failures.some(({ status }) => status !== 'blocked')
      ? []
      : rest.flatMap(({ address, actions }) =>
          hang('  ~ ', `${visible(address)} would still be planned: ${actions.join(', ')}`, columns),
        )),
  ].map((line) => paint('error', line));
}

function pausedLines({ paused }: Rehearsal, paint: Paint): string[] {
  if (paused.length === 0) return [];
  const longest = [...paused].sort((a, b) => b.paused_ms - a.paused_ms || compareTexts(a.address, b.address));
  const width = Math.max(...longest.map(({ address }) => visible(address).length));
  return [
    paint('title', `Without trading (${paused.length})`),
    ...longest.map(
      ({ address, paused_ms }) => `  ${padEnd(visible(address), width)}  ${secondsText(paused_ms)}`,
    ),
  ];
}

function requestLines({ requests }: Rehearsal, columns: number, paint: Paint): string[] {
  if (requests.length === 0) return [];
  return [
    paint('title', `Requests (${requests.length})`),
    ...requests.flatMap(({ at_ms, method, path, status, address }) =>
      hang(
        `  ${secondsText(at_ms).padStart(9)}  ${padEnd(method, 6)} `,
        [visible(address ?? path), address === undefined ? '' : lastOf(path), status]
          .filter((part) => part !== '')
          .join(' '),
        columns,
      ),
    ),
  ];
}

/** `pause`, `resume`, or nothing. */
function lastOf(path: string): string {
  const last = path.split('/').at(-1) ?? '';
  return /^[a-z]+$/.test(last) && last !== 'configs' ? last : '';
}
