import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showProgress } from '../../src/core/command/progress.ts';
import type { ProgressEvent } from '../../src/core/ports/output.ts';
import { cells } from '../../src/core/render/layout.ts';
import { Masking } from '../../src/core/render/masking/masking.ts';
import {
  emptyProgress,
  foldProgress,
  progressArea,
  progressLine,
} from '../../src/core/render/progress-text.ts';

const EVENTS: readonly ProgressEvent[] = [
  { type: 'chain-start', address: 'sniper/alpha', steps: 4 },
  { type: 'step-start', address: 'sniper/alpha', verb: 'mark', operation: 'sniper/alpha#1' },
  { type: 'step-done', address: 'sniper/alpha', verb: 'mark', operation: 'sniper/alpha#1' },
  { type: 'step-start', address: 'sniper/alpha', verb: 'pause', operation: 'sniper/alpha#2' },
  { type: 'chain-start', address: 'copy-trade/whale-7', steps: 1 },
  { type: 'waiting', address: 'copy-trade/whale-7', reason: 'Retry-After', ms: 2_500 },
  { type: 'chain-end', address: 'sniper/done', status: 'done', text: '' },
  { type: 'chain-end', address: 'sniper/bad', status: 'failed', text: 'refused\x1b[2J' },
];

describe('the live area', () => {
  const state = EVENTS.reduce(foldProgress, emptyProgress(12));

  it('has one line for each task in progress, counts and elapsed time', () => {
    expect(progressArea(state, 67_000, 80)).toEqual([
      'Applying 2 of 12 · 1 failed · 1:07',
      '  sniper/alpha        2/4 switching off',
      '  copy-trade/whale-7  waiting 2.5 s: Retry-After',
    ]);
  });

  it('says for how long a task is off', () => {
    const done: ProgressEvent = { type: 'step-done', address: 'sniper/alpha', verb: 'pause', operation: 'x' };
    const next: ProgressEvent = {
      type: 'step-start',
      address: 'sniper/alpha',
      verb: 'patch',
      operation: 'y',
    };
    const off = foldProgress(foldProgress(state, done, 60_200), next, 60_300);
    expect(progressArea(off, 61_000, 80)).toContain('  sniper/alpha        3/4 off 0.8 s, changing');
  });

  it('counts the items that were read', () => {
    const event = { type: 'read', collection: 'sniper', items: 300, done: false } as const;
    const reading = foldProgress(emptyProgress(0), event, 0);
    expect(progressArea(reading, 1_000, 80)).toEqual(['Reading the live state: 300 items · 0:01']);
  });

  it('is never wider than the terminal, nor higher than a dozen lines', () => {
    const many = Array.from({ length: 50 }, (_item, index): ProgressEvent => {
      return { type: 'chain-start', address: `copy-trade/${'x'.repeat(20)}-${index}`, steps: 4 };
    }).reduce(foldProgress, emptyProgress(50));
    const area = progressArea(many, 0, 40);
    expect(area.length).toBeLessThanOrEqual(12);
    expect(area.every((line) => cells(line) < 40)).toBe(true);
    expect(area.at(-1)).toContain('40 more');
  });
});

describe('permanent lines', () => {
  it('are one for each end, without the reasons, which the report has', () => {
    expect(EVENTS.flatMap((event) => progressLine(event, false) ?? [])).toEqual([
      'sniper/done done',
      'sniper/bad FAILED',
    ]);
  });

  it('say more with --verbose', () => {
    expect(EVENTS.flatMap((event) => progressLine(event, true) ?? [])).toContain('sniper/alpha mark done');
  });
});

describe('showProgress', () => {
  let written: string[] = [];
  const io = (stderrIsTTY: boolean) => ({
    stderr: (text: string) => void written.push(text),
    stderrIsTTY,
    columns: 80,
    env: {},
    masking: new Masking(),
  });
  const play = (view: ReturnType<typeof showProgress>) => {
    for (const event of EVENTS) {
      view.emit(event);
      vi.advanceTimersByTime(400);
    }
    view.close();
    vi.advanceTimersByTime(1_000);
  };

  beforeEach(() => {
    written = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('writes plain lines without a terminal', () => {
    play(showProgress(io(false), { quiet: false, verbose: false, total: 12 }));
    expect(written.join('')).toBe('sniper/done done\nsniper/bad FAILED\n');
  });

  it('writes plain lines together, at most ten times a second, and all of them', () => {
    const view = showProgress(io(false), { quiet: false, verbose: false, total: 1_000 });
    for (let index = 0; index < 1_000; index += 1) {
      view.emit({ type: 'chain-end', address: `sniper/t-${index}`, status: 'done', text: '' });
      vi.advanceTimersByTime(1);
    }
    expect(written.length).toBeLessThanOrEqual(10);
    expect(written.join('').match(/\n/g)).toHaveLength(1_000);
    view.emit({ type: 'chain-end', address: 'sniper/last', status: 'failed', text: 'refused' });
    view.note('Stopping');
    view.emit({ type: 'chain-end', address: 'sniper/very-last', status: 'done', text: '' });
    view.close();
    expect(written.join('').split('\n').slice(-4)).toEqual([
      'sniper/last FAILED',
      'Stopping',
      'sniper/very-last done',
      '',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('writes nothing with --quiet', () => {
    play(showProgress(io(true), { quiet: true, verbose: true, total: 12 }));
    expect(written).toEqual([]);
  });

  it('notes are never left out', () => {
    for (const [isTTY, quiet] of [
      [true, false],
      [false, false],
      [true, true],
    ] as const) {
      written = [];
      const view = showProgress(io(isTTY), { quiet, verbose: false, total: 1 });
      view.note('Stopping');
      view.close();
      expect(screen(written.join(''))).toEqual(['Stopping']);
    }
  });

  it('redraws at most ten times a second on a terminal', () => {
    const view = showProgress(io(true), { quiet: false, verbose: false, total: 1_000 });
    vi.advanceTimersByTime(1_000);
    written = [];
    for (let index = 0; index < 1_000; index += 1) {
      view.emit({ type: 'chain-end', address: `sniper/t-${index}`, status: 'skipped', text: '' });
      vi.advanceTimersByTime(1);
    }
    expect(written.length).toBeLessThanOrEqual(10);
    view.close();
  });

  it('leaves only the permanent lines', () => {
    play(showProgress(io(true), { quiet: false, verbose: false, total: 12 }));
    expect(screen(written.join(''))).toEqual(['sniper/bad FAILED']);
  });
});

/** What a terminal shows in the end, for the two sequences that are used: up, and clear below. */
function screen(output: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  for (const part of output.split(/(\x1b\[\d*[AJ]|\n)/)) {
    if (part === '\n') row += 1;
    else if (part.startsWith('\x1b') && part.endsWith('A')) row -= Number(part.slice(2, -1));
    else if (part.startsWith('\x1b')) lines.length = row;
    else if (part !== '') lines[row] = part;
    lines[row] ??= '';
  }
  return lines.filter((line) => line !== '');
}
