import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from '../../cmd/program.ts';
import type { Io } from '../../src/core/command/io.ts';
import { FULL, isSampled } from '../support/sample.ts';
import { LINES, type Line } from './commands.ts';
import { closeProcesses, type Played, play } from './play.ts';
import { allRepositories, type HostileRepository } from './repository.ts';

const REPOSITORIES = await allRepositories();
/** Of the attacker's service. */
const requests: string[] = [];
let attacker: Server;
let elsewhere: string;

beforeAll(async () => {
  attacker = createServer(({ method, url, headers }, response) => {
    requests.push(`${method} ${url} ${headers.authorization ?? ''}`);
    response.end('{}');
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
  elsewhere = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}/v1`;
});
afterAll(() => {
  closeProcesses();
  attacker.close();
});

/** Minutes: a machine may be busy. What a command may take is bounded by processor time. */
const PATIENCE = 5 * 60_000;

const HONEST = 'honest-project';

/** It asks git, reads manifests and asks the service: played for every repository. */
const ALWAYS = 'plan --base main -o json';
const READING = LINES.filter(({ writes }) => writes !== true).length;

/** Where a link leads out, each command may be the one that follows it. */
const LINKED = ['manifests-linked-outside', 'targets-linked-outside'];

/**
 * Of the other lines that write nothing `npm test` takes every ninth, for each repository the next ones: each line is played on
 * some. Those that write belong together: it takes them for repositories that attack what is written, and for a few others.
 * On bombs every line takes a second, and all lines read them with the same code: it takes one more.
 */
function linesFor({ name, attacksWrites }: HostileRepository, repository: number): readonly Line[] {
  if (FULL) return LINES;
  const isBomb = name.startsWith('bombs-');
  const takesWrites = attacksWrites === true || (!isBomb && isSampled(repository, 10));
  const isTaken = (index: number) => (index + repository) % (isBomb ? READING : 9) === 0;
  return LINES.filter(({ args, writes }, index) =>
    writes === true ? takesWrites : args.join(' ') === ALWAYS || LINKED.includes(name) || isTaken(index),
  );
}

/** What the program does once in a process must be seen on each of these; `npm run night` sees it on all. */
function needsOwnProcess({ name }: HostileRepository): boolean {
  return FULL || name.includes('-linked-');
}

function complaintsOf(played: readonly Played[]): readonly string[] {
  const complaints = played.flatMap(({ line, complaints: all }) => all.map((one) => `${line}: ${one}`));
  return [...complaints, ...requests.splice(0).map((one) => `the attacker got ${one}`)];
}

test.each(
  REPOSITORIES.filter(({ name }) => name !== HONEST).map(
    (repository, index) => [repository.name, repository, linesFor(repository, index)] as const,
  ),
)(
  '%s: no command runs, reads, writes, asks or shows what it may not',
  async (_name, repository, lines) => {
    if (needsOwnProcess(repository)) closeProcesses();
    const played = await play(repository, 'together', elsewhere, lines);
    expect(played).toHaveLength(lines.length);
    expect(complaintsOf(played)).toEqual([]);
  },
  PATIENCE,
);

function honestProject(): HostileRepository {
  const honest = REPOSITORIES.find(({ name }) => name === HONEST);
  if (honest === undefined) throw new Error('there is no honest project');
  return honest;
}

test(
  'on an honest project every command works',
  async () => {
    const played = await play(honestProject(), 'together', elsewhere);
    expect(complaintsOf(played)).toEqual([]);
    const codes = Object.fromEntries(played.map(({ line, seen }) => [line, seen.code]));
    expect(codes).toEqual(Object.fromEntries(played.map(({ line }) => [line, EXPECTED[line] ?? 0])));
  },
  PATIENCE,
);

/** Of which more is asked than the exit code. */
const LOOKED_INTO = [ALWAYS, 'apply --auto-approve', 'plan --out saved.plan', 'sandbox'];

test(
  'on an honest project the executable works, and the observer sees what it does',
  async () => {
    const lines = FULL ? LINES : LINES.filter(({ args }) => LOOKED_INTO.includes(args.join(' ')));
    const played = new Map(
      (await play(honestProject(), 'apart', elsewhere, lines)).map((one) => [one.line, one]),
    );
    const of = (line: string): Played => {
      const found = played.get(line);
      if (found === undefined) throw new Error(`no line ${line}`);
      return found;
    };
    expect(complaintsOf([...played.values()])).toEqual([]);
    const codes = Object.fromEntries([...played].map(([line, { seen }]) => [line, seen.code]));
    expect(codes).toEqual(Object.fromEntries([...played.keys()].map((line) => [line, EXPECTED[line] ?? 0])));
    const plan = of(ALWAYS);
    const reads = plan.seen.events.flatMap((event) => (event.event === 'read' ? [event.path] : []));
    expect(reads.filter((path) => path.endsWith('/manifests/alpha.yaml'))).not.toEqual([]);
    expect(plan.seen.git.map(({ args }) => args.join(' ')).join('\n')).toMatch(/cat-file/);
    expect(plan.seen.events.filter(({ event }) => event === 'start')).toHaveLength(plan.seen.git.length);
    expect(plan.seen.events.filter(({ event }) => event === 'connect')).not.toEqual([]);
    expect(plan.requests.map(({ method }) => method)).toContain('GET');
    expect(of('apply --auto-approve').requests.map(({ method }) => method)).toContain('PATCH');
    const writes = of('plan --out saved.plan').seen.events.filter(({ event }) => event === 'write');
    expect(writes).not.toEqual([]);
  },
  PATIENCE,
);

/** Exit codes of the honest project, where not 0. */
const EXPECTED: Readonly<Record<string, number>> = {
  // Outside of a job of CI.
  'comment plan report': 3,
  'drift -o json': 2,
  'fmt --check': 2,
  // It was made for another service, whose port was another one.
  'apply saved.plan --auto-approve': 4,
  // Nobody has confirmed where the token of its unit goes.
  'fleet plan --fleet new-fleet.yaml --out plans': 4,
  sandbox: 130,
};

test('every command of the program is run', () => {
  const io = { columns: 80, color: { stdout: false, stderr: false } } as unknown as Io;
  const commands = buildProgram(io, () => undefined).commands.map((command) => command.name());
  expect([...new Set(LINES.map(({ args: [command] }) => command))].sort()).toEqual(commands.sort());
});
