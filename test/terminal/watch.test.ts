import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { uuid } from '../support/builders.ts';
import { FULL } from '../support/sample.ts';
import { wideDesk } from '../support/wide-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { closeTerminals, type TestTerminal } from './terminal.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk(wideDesk({ idle: 60 }));
});
afterEach(closeTerminals);
afterAll(() => desk.close());

/** The last line that is written on. */
function footOf(terminal: TestTerminal): string {
  return terminal.lines().findLast((line) => line !== '') ?? '';
}

const WATCH = ['status', '--watch', '1'];
const ENDS = 'q or Ctrl-C ends.';

describe('status --watch', () => {
  const SIZES = [
    [80, 24],
    [132, 43],
    [60, 20],
  ] as const;

  // The size also changes below: `npm test` starts with one.
  it.each(FULL ? SIZES : SIZES.slice(2))(
    'shows the head of a long list on %i×%i, and counts the rest',
    async (columns, rows) => {
      const terminal = desk.open(WATCH, { columns, rows });
      // What is drawn last: a screen arrives in pieces.
      await terminal.waitFor((text) => /… \d+ more; filter with/.test(text) && text.includes(ENDS));
      const lines = terminal.lines();
      expect(lines).toHaveLength(rows);
      expect(lines[0]).toMatch(/^wide-desk-12 · /);
      expect(lines.join(' ')).toMatch(/73 tasks: \d+ running/);
      expect(footOf(terminal)).toMatch(new RegExp(`UTC, every 1 s; ${ENDS}$`));
      const more = Number(/… (\d+) more/.exec(lines.join('\n'))?.[1]);
      const shown = lines.filter((line) => /^(sniper|copy-trade)\//.test(line)).length;
      expect(shown + more).toBe(73);
      expect(shown).toBeGreaterThan(1);
      expect(terminal.tooLong()).toEqual([]);
      terminal.type('q');
      expect(await terminal.ended).toBe(0);
    },
  );

  it('redraws changes in place', async () => {
    const terminal = desk.open([...WATCH, 'sniper/001-*']);
    await terminal.waitFor(/running +differs/);
    await desk.door('edit', { id: uuid(1), is_active: false });
    await terminal.waitFor(/paused +held/);
    expect(terminal.lines()).toHaveLength(24);
    expect(terminal.text().match(/^wide-desk-12 · /gm)).toHaveLength(1);
    expect(terminal.isAlternate).toBe(true);
    await desk.door('edit', { id: uuid(1), is_active: true });
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
  });

  it('changes its layout when the size of the terminal changes, also to an absurd one', async () => {
    const terminal = desk.open(WATCH);
    await terminal.waitFor(/… \d+ more/);
    for (const [columns, rows] of [
      [50, 10],
      [140, 50],
      [40, 5],
      [20, 3],
      [80, 24],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.waitFor(() => {
        const lines = terminal.lines();
        const foot = footOf(terminal);
        const whole = foot.includes(ENDS) || foot.endsWith('…');
        return lines.length === rows && /^wide-desk-12/.test(lines[0] ?? '') && whole;
      });
      expect(terminal.tooLong(), `${columns}×${rows}`).toEqual([]);
    }
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
  });

  it.each([
    ['q', 0],
    ['\x03', 130],
  ])('%j restores the terminal', async (key, code) => {
    const script = `echo before; tradeform status --watch 1; echo "code $?"; stty -a`;
    const terminal = desk.open([], { script });
    await terminal.waitFor(ENDS);
    expect(terminal.isAlternate).toBe(true);
    expect(terminal.text()).not.toContain('before');
    terminal.type(key);
    await terminal.waitFor(`code ${code}`);
    await terminal.ended;
    expect(terminal.isAlternate).toBe(false);
    const text = terminal.text();
    expect(text.startsWith(`before\ncode ${code}\n`), text).toBe(true);
    expect(text).toMatch(/ icanon/);
    expect(text).toMatch(/ echo /);
    expect(terminal.cursorIsShown).toBe(true);
  });

  it('says why it cannot read, and continues', async () => {
    const terminal = desk.open(WATCH);
    await terminal.waitFor(/… \d+ more/);
    await desk.door('faults', { path: '/me$', fault: { type: 'error', code: 'invalid_api_token' } });
    await terminal.waitFor('invalid_api_token');
    await terminal.waitFor(/… \d+ more/);
    terminal.type('q');
    expect(await terminal.ended).toBe(0);
  });
});
