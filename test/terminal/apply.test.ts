import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tradeform } from '../cmd/run.ts';
import { type Desk, openDesk } from './desk.ts';
import { closeTerminals } from './terminal.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => closeTerminals());
afterAll(closeTerminals);

const QUESTION = 'Only "yes" is accepted: ';
/** How long an answer of the service takes, so that progress is there to be seen. */
const SLOW = 4_000;

async function writes(): Promise<readonly string[]> {
  const { entries } = (await desk.door('log')) as { entries: readonly { method: string; path: string }[] };
  return entries.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
}

/** Options that carry the plan of now out: one of its tasks was never named by a commit. */
async function approved(): Promise<readonly string[]> {
  const { stdout } = await tradeform(['plan', '-o', 'json'], { cwd: desk.path, env: desk.env });
  const { digest } = JSON.parse(stdout) as { digest: string };
  return ['--auto-approve', '--expect', digest];
}

describe('apply at a terminal', () => {
  // test/http/streams.test.ts has more answers.
  it.each(['y', ''])('treats %j as no: nothing is sent, exit 4', async (answer) => {
    const terminal = desk.open(['apply']);
    await terminal.waitFor(QUESTION);
    terminal.type(`${answer}\r`);
    expect(await terminal.ended).toBe(4);
    expect(terminal.text()).toContain('not approved; nothing was changed');
    expect(terminal.tooLong()).toEqual([]);
    expect(await writes()).toEqual([]);
  });

  it('Ctrl-C at the question: nothing is sent, exit 130', async () => {
    const terminal = desk.open(['apply']);
    await terminal.waitFor(QUESTION);
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(terminal.text()).toContain('interrupted; nothing was changed');
    expect(await writes()).toEqual([]);
  });

  it('draws its progress in one place, and leaves only the report', async () => {
    await desk.door('faults', { method: 'PATCH', times: 1, fault: { type: 'delay', ms: SLOW } });
    const terminal = desk.open(['apply', '--concurrency', '1']);
    const heads: string[] = [];
    let most = 0;
    terminal.watch((lines) => {
      const drawn = lines.filter((line) => /^Applying \d+ of \d+/.test(line));
      most = Math.max(most, drawn.length);
      heads.push(...drawn);
    });
    await terminal.waitFor(QUESTION);
    terminal.type('yes\r');
    expect(await terminal.ended).toBe(0);
    expect(most).toBe(1);
    expect(heads[0]).toMatch(/^Applying \d+ of \d+ · 0:0\d$/);
    expect(terminal.text()).not.toMatch(/^Applying/m);
    // What is done is a number.
    expect(terminal.text()).not.toContain(' done: ');
    expect(terminal.tooLong()).toEqual([]);
    // Nobody's work is left: the plan is empty.
    const again = await tradeform(['plan', '--detailed-exitcode'], { cwd: desk.path, env: desk.env });
    expect(again.code, again.stdout).toBe(0);
  });

  it('Ctrl-C once: work in progress is finished, the rest is named, exit 130', async () => {
    await desk.door('faults', { method: 'PATCH', times: 1, fault: { type: 'delay', ms: SLOW } });
    const terminal = desk.open(['apply', ...(await approved()), '--first-apply', '--concurrency', '1']);
    await terminal.waitFor(/^ {2}sniper\/001-\S+ +1\/\d/m);
    terminal.type('\x03');
    await terminal.waitFor(/Ctrl-C again\s+stops at once/);
    expect(await terminal.ended).toBe(130);
    const text = terminal.text();
    expect(text).not.toMatch(/^Ap/m);
    expect(text).toMatch(/^Skipped \([1-6]\), apply again to continue\n {2}(?:sniper|copy-trade)\//m);
    expect(text).toMatch(/^Interrupted: \d done, [1-6] skipped, 1 held in [\d.]+ s/m);
    expect(terminal.tooLong()).toEqual([]);
  });
});
