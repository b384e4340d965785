import type { Screen, ScreenEvents } from '../src/command/io.ts';

/** The alternate screen of a terminal, without a cursor. Text that does not fit on a line is not wrapped. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';
const HOME = '\x1b[H';
const ERASE_LINE = '\x1b[K';
const ERASE_BELOW = '\x1b[J';
const DEFAULT_ROWS = 24;

/**
 * Takes over the terminal until `close`. Keys arrive one at a time and are not shown. Ctrl-C arrives as the key `\x03`, because a
 * terminal in this mode sends no signal for it.
 */
export function openScreen({ resized, pressed }: ScreenEvents, write: (text: string) => void): Screen {
  const { stdin, stdout } = process;
  const keys = stdin.isTTY === true;
  let open = true;
  const onData = (data: Buffer) => {
    for (const key of data.toString('latin1')) pressed(key);
  };
  const close = () => {
    if (!open) return;
    open = false;
    stdout.off('resize', resized);
    process.off('exit', close);
    if (keys) {
      stdin.off('data', onData).pause();
      stdin.setRawMode(false);
    }
    write(LEAVE);
  };
  write(ENTER);
  if (keys) {
    stdin.setRawMode(true);
    stdin.on('data', onData).resume();
  }
  stdout.on('resize', resized);
  // Restores the terminal however the process ends: a terminal without echo is useless.
  process.on('exit', close);
  return {
    get rows() {
      return stdout.rows || DEFAULT_ROWS;
    },
    draw(text) {
      const lines = text.trimEnd().split('\n');
      // Overwrites line by line, so that nothing flickers. Each line is erased before it is written: erasing after a full line
      // would remove its last cell.
      const drawn = lines.map(
        (line, index) => `${index < lines.length - 1 ? ERASE_LINE : ERASE_BELOW}${line}`,
      );
      write(`${HOME}${drawn.join('\n')}`);
    },
    close,
  };
}
