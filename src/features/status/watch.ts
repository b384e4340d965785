import { orStopped } from '../../command/interruption.ts';
import type { Io, Screen } from '../../command/io.ts';
import { diagnosticsText } from '../../command/show-diagnostics.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { clip } from '../../render/layout.ts';
import { SYSTEM_CLOCK } from '../../service/http/clock.ts';

/** Lays out a reading in at most this many lines. */
export type Frame = (rows: number) => string;

const FOOTER = 2;

/**
 * Reads again at an interval and shows the result on its own screen, until a stop signal or Ctrl-C (returns 130) or q (returns 0).
 * A failed reading shows the reason and is repeated. Invalid input (exit 3) ends it.
 */
export async function watch(look: () => Promise<Frame>, seconds: number, io: Io): Promise<number> {
  if (io.openScreen === undefined) throw new Error('there is no screen');
  const end = new AbortController();
  let exitCode = 130;
  const release = io.stop.hear?.();
  const stop = AbortSignal.any([io.stop.soft, end.signal]);
  let frame: Frame = () => 'Reading the live state…\n';
  let read = '';
  let screen: Screen | undefined;
  const draw = () => {
    if (screen === undefined) return;
    const foot = clip(`${read}every ${seconds} s; q or Ctrl-C ends.`, io.columns);
    const text = frame(Math.max(1, screen.rows - FOOTER));
    screen.draw(`${text.trimEnd()}\n\n${foot}`);
  };
  const pressed = (key: string) => {
    if (key === 'q') exitCode = 0;
    if (key === 'q' || key === '\x03') end.abort();
  };
  screen = io.openScreen({ resized: draw, pressed });
  try {
    draw();
    while (!stop.aborted) {
      const seen = await orStopped(lookOnce(look, io), stop);
      if (seen === undefined) break;
      frame = seen;
      read = `${new Date(SYSTEM_CLOCK.now()).toISOString().slice(11, 19)} UTC, `;
      draw();
      await SYSTEM_CLOCK.sleep(seconds * 1_000, stop);
    }
  } finally {
    screen.close();
    release?.();
  }
  return exitCode;
}

async function lookOnce(look: () => Promise<Frame>, io: Io): Promise<Frame> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode === 3) throw error;
    const { diagnostics, sources = new Map<string, string>() } = error;
    return (rows) => {
      const text = diagnosticsText(diagnostics, io, sources, { columns: io.columns, color: io.color.stdout });
      return text.split('\n').slice(0, rows).join('\n');
    };
  }
}
