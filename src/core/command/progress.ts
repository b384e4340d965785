import type { Progress, ProgressEvent } from '../ports/output.ts';
import { wrap } from '../render/layout.ts';
import {
  emptyProgress,
  foldProgress,
  type ProgressState,
  progressArea,
  progressLine,
} from '../render/progress-text.ts';
import type { Io } from './io.ts';
import { shown } from './masking.ts';
import type { CommonOptions } from './options.ts';

export interface ProgressView extends Progress {
  /** A line that stays visible, also with `--quiet`, because it must be read. */
  note(line: string): void;
  /** Removes the live area. Nothing is drawn afterwards. */
  close(): void;
}

interface ProgressOptions extends Pick<CommonOptions, 'quiet' | 'verbose'> {
  /** The number of addresses to work on. 0 while the run only reads. */
  readonly total: number;
  /** What is done to the addresses. Default: "Applying". */
  readonly doing?: string;
  /** The text for an address whose change is complete; null: it gets no line. */
  readonly did?: (address: string) => string | null | undefined;
  /** The report lists what is done, so that gets no line. */
  readonly listed?: true;
  /** True after a stop. Skipped addresses then get no line each, because the report sums them up. */
  readonly stopped?: () => boolean;
}

function lineOf(
  event: ProgressEvent,
  { verbose = false, did, listed, stopped }: ProgressOptions,
): string | undefined {
  if (event.type !== 'chain-end') return progressLine(event, verbose);
  if (event.status === (listed ? 'done' : stopped?.() && 'skipped')) return undefined;
  const words = did?.(event.address);
  return words === null && event.status === 'done' ? undefined : progressLine(event, verbose, words ?? '');
}

const REDRAW_MS = 100;
/** Shorter work draws no live area that would only flash up. */
const FIRST_DRAW_MS = 300;

/** Progress on stderr: a live area on a terminal, plain lines without one, nothing with `--quiet`. Stdout is never touched. */
export function showProgress(
  io: Pick<Io, 'stderr' | 'stderrIsTTY' | 'columns' | 'env' | 'masking'>,
  options: ProgressOptions,
): ProgressView {
  if (options.quiet === true) return { ...plainLines(io, options), emit: () => undefined };
  const plain = !io.stderrIsTTY || io.env.TERM === 'dumb';
  const view = plain
    ? plainLines(io, options)
    : liveArea(io, { ...options, ...(options.verbose === true ? {} : { listed: true }) });
  return { ...view, emit: (event) => view.emit(shown(event, io)) };
}

/** Lines are written in batches, at the pace of a live area. One write for each line would delay every tenth request. */
function plainLines(io: Pick<Io, 'stderr'>, options: ProgressOptions): ProgressView {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') io.stderr(waiting);
    waiting = '';
  };
  return {
    emit(event) {
      const line = lineOf(event, options);
      if (line === undefined) return;
      waiting += `${line}\n`;
      timer ??= setTimeout(write, REDRAW_MS).unref();
    },
    note(line) {
      waiting += `${line}\n`;
      write();
    },
    close: write,
  };
}

function liveArea(io: Pick<Io, 'stderr' | 'columns'>, options: ProgressOptions): ProgressView {
  const begun = performance.now();
  let state: ProgressState = emptyProgress(options.total, options.doing);
  let drawn = 0;
  let waiting: string[] = [];
  let shown = '';

  // The terminal printed ^C at the cursor, so the cursor may be off the beginning of the line.
  const erase = () => (drawn === 0 ? '' : `\r\x1b[${drawn}A\x1b[J`);
  const draw = () => {
    const elapsed = performance.now() - begun;
    if (elapsed < FIRST_DRAW_MS && waiting.length === 0) return;
    const area = progressArea(state, elapsed, io.columns);
    const text = area.map((line) => `${line}\n`).join('');
    if (text === shown && waiting.length === 0) return;
    io.stderr(`${erase()}${waiting.map((line) => `${line}\n`).join('')}${text}`);
    waiting = [];
    shown = text;
    drawn = area.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();
  return {
    emit(event) {
      state = foldProgress(state, event, performance.now() - begun);
      const line = lineOf(event, options);
      if (line !== undefined) waiting.push(...wrap(line, io.columns));
    },
    note(line) {
      waiting.push(...wrap(line, io.columns));
      draw();
    },
    close() {
      clearInterval(timer);
      io.stderr(`${erase()}${waiting.map((line) => `${line}\n`).join('')}`);
      waiting = [];
      drawn = 0;
    },
  };
}
