import { EXECUTABLE, MAIN } from '../cmd/run.ts';
import { LINES, type Line } from './commands.ts';
import { complaints } from './judge.ts';
import { buildLab, CANARIES, fingerprint, type Lab } from './lab.ts';
import { type Observation, type ObservedLines, observe, observedLines, type Words } from './observe.ts';
import type { HostileRepository } from './repository.ts';
import { type RecordedService, recordedService } from './service.ts';

/** One command line on one repository. */
export interface Played {
  /** As it is typed, without the program. */
  readonly line: string;
  readonly seen: Observation;
  readonly requests: RecordedService['requests'];
  /** What it did that it may not; empty for every repository and command. */
  readonly complaints: readonly string[];
}

/** Commands that write nothing to the service. */
const READING_COMMANDS = ['validate', 'render', 'plan', 'status', 'drift', 'export', 'doctor', 'init', 'fmt'];
/** The secrets that the service may be sent: the token in its header, and a value that a manifest refers to. */
const SENDABLE = /^DESK_SECRET|^TRADEFORM_TOKEN/;
const HALF = Math.ceil(LINES.length / 2);

/** How the program is run: each line in a process, or one line after the other in one. */
export type Way = 'apart' | 'together';

/**
 * Runs these commands of the built tradeform on a repository: if they are many, half of them on a second one that was built in
 * the same way, at the same time. `elsewhere` is the attacker's service.
 */
export async function play(
  repository: HostileRepository,
  way: Way,
  elsewhere: string,
  lines: readonly Line[] = LINES,
): Promise<readonly Played[]> {
  const first = lines.length > HALF ? lines.filter(({ writes }) => writes !== true).slice(0, HALF) : lines;
  const halves = [first, lines.filter((line) => !first.includes(line))].filter(({ length }) => length > 0);
  const played = await Promise.all(halves.map((half) => playIn(buildLab(repository, elsewhere), way, half)));
  return played.flat();
}

/** Processes that wait for a repository: the start of one takes longer than most lines. */
const waiting: ObservedLines[] = [];

/** Ends the processes that {@link play} has left for the next repository. */
export function closeProcesses(): void {
  for (const process of waiting.splice(0)) process.close();
}

async function playIn(lab: Lab, way: Way, lines: readonly Line[]): Promise<readonly Played[]> {
  const together = waiting.pop() ?? observedLines(MAIN);
  const run = (words: Words) =>
    way === 'apart' ? observe(lab, { ...words, program: EXECUTABLE }) : together.run(lab, words);
  try {
    const played: Played[] = [];
    for (const [index, line] of lines.entries()) played.push(await playLine(lab, run, line, String(index)));
    return played;
  } finally {
    waiting.push(together);
  }
}

async function playLine(
  lab: Lab,
  run: (words: Words) => Promise<Observation>,
  { args, serves }: Line,
  id: string,
): Promise<Played> {
  const service = await recordedService();
  const before = fingerprint(lab.outside);
  const env = { TRADEFORM_BASE_URL: service.baseUrl };
  const seen = await run({ args, env, id, serves: serves === true });
  const after = fingerprint(lab.outside);
  const sent = CANARIES.filter(({ name }) => !SENDABLE.test(name)).filter(({ text }) =>
    service.requests.some((request) => JSON.stringify(request).includes(text)),
  );
  return {
    line: args.join(' '),
    seen,
    requests: service.requests,
    complaints: [
      ...complaints(lab, seen, service.origin),
      ...(before === after ? [] : [`the folder outside has changed:\n${after}`]),
      ...writesOf(args, service.requests).map((write) => `it sent the service ${write}`),
      ...sent.map(({ name }) => `the service was sent the canary ${name}`),
    ],
  };
}

function writesOf(
  [command = '']: readonly string[],
  requests: RecordedService['requests'],
): readonly string[] {
  if (!READING_COMMANDS.includes(command)) return [];
  return requests.flatMap(({ method, path }) => (method === 'GET' ? [] : [`${method} ${path}`]));
}
