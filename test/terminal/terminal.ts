import { type IPty, spawn } from '@lydell/node-pty';
import unicode from '@xterm/addon-unicode11';
import headless from '@xterm/headless';
import { EXECUTABLE } from '../cmd/run.ts';

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  /** Runs this in `sh` instead; `tradeform` stands for the program. */
  readonly script?: string;
}

/** Nothing is measured: this only ends a test that would wait for ever. */
const LIMIT_MS = 50_000;
const running = new Set<TestTerminal>();

/** The built tradeform in a terminal of its own, and what a person would see there. */
export class TestTerminal {
  readonly ended: Promise<number>;
  readonly #pty: IPty;
  readonly #screen: InstanceType<typeof headless.Terminal>;
  readonly #waiting = new Set<() => void>();
  #writing = Promise.resolve();
  #code: number | undefined;

  constructor(args: readonly string[], { cwd, env = {}, columns = 80, rows = 24, script }: TerminalOptions) {
    this.#screen = new headless.Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
    // Emoji take two cells, as in the terminals of today.
    this.#screen.loadAddon(new unicode.Unicode11Addon());
    this.#screen.unicode.activeVersion = '11';
    // The shell outlives the program: node-pty drops what has not arrived 200 ms after the last process of a terminal.
    const lines = [
      'trap : INT',
      `tradeform() { '${process.execPath}' '${EXECUTABLE}' "$@"; }`,
      script ?? 'tradeform "$@"',
      "printf '\\033]777;%d\\007' $?",
      'read -r _',
    ];
    this.#pty = spawn('sh', ['-c', lines.join('\n'), 'sh', ...args], {
      cols: columns,
      rows,
      cwd,
      name: 'xterm-256color',
      env: { PATH: process.env.PATH ?? '', ...env },
    });
    this.ended = new Promise((resolve) => {
      const end = (code: number) => {
        void this.#writing.then(() => {
          this.#code ??= code;
          this.#look();
          resolve(this.#code);
        });
      };
      let last = '';
      this.#pty.onData((data) => {
        this.#show(data);
        last = (last + data).slice(-2 * data.length - 20);
        const code = /\x1b\]777;(\d+)\x07/.exec(last)?.[1];
        if (code === undefined) return;
        end(Number(code));
        this.kill();
      });
      this.#pty.onExit(({ exitCode }) => {
        running.delete(this);
        end(exitCode);
      });
    });
    running.add(this);
  }

  /** What is erased again in the same breath was seen all the same: a picture before each movement of the cursor. */
  #show(data: string): void {
    for (const part of data.split(/(?=\x1b\[\d*[AH])/)) {
      this.#writing = this.#writing
        .then(() => new Promise<void>((resolve) => this.#screen.write(part, resolve)))
        .then(() => this.#look());
    }
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }

  /** Called with the screen each time it is another one. */
  watch(see: (lines: readonly string[]) => void): void {
    this.#waiting.add(() => see(this.lines()));
  }

  /** The lines on the screen, without trailing spaces. */
  lines(): readonly string[] {
    return this.all().slice(this.#buffer.baseY);
  }

  /** Also those that scrolled away. */
  all(): readonly string[] {
    return Array.from(
      { length: this.#buffer.length },
      (_, row) => this.#buffer.getLine(row)?.translateToString(true, 0, this.#screen.cols) ?? '',
    );
  }

  text(): string {
    return this.all().join('\n');
  }

  /**
   * Lines that did not fit and went on in the next, but for a place in a file, an id or an address that stands on a line by
   * itself: these are copied, and must not be cut.
   */
  tooLong(): readonly string[] {
    const whole: string[] = [];
    const long = new Set<number>();
    for (const [row, line] of this.all().entries()) {
      if (this.#buffer.getLine(row)?.isWrapped !== true) whole.push(line);
      else long.add(whole.push(`${whole.pop() ?? ''}${line}`) - 1);
    }
    return whole.filter((line, index) => long.has(index) && !/^ *(at |--> )?\S+$/.test(line));
  }

  /** Whether any letter is painted. */
  get hasColor(): boolean {
    return this.all().some((line, row) =>
      Array.from(line).some((_, column) => {
        const cell = this.#buffer.getLine(row)?.getCell(column);
        return cell !== undefined && !cell.isAttributeDefault();
      }),
    );
  }

  /** The palette's number of the colour of the first letter of a text; -1: the terminal's own. */
  colorOf(text: string): number | undefined {
    const row = this.all().findIndex((line) => line.includes(text));
    return this.#buffer
      .getLine(row)
      ?.getCell(this.all()[row]?.indexOf(text) ?? 0)
      ?.getFgColor();
  }

  get #buffer() {
    return this.#screen.buffer.active;
  }

  /** Fails with what the screen shows where this never comes. */
  waitFor(what: string | RegExp | ((text: string) => boolean)): Promise<void> {
    const there = () => {
      const text = this.lines().join('\n');
      return typeof what === 'string'
        ? text.includes(what)
        : typeof what === 'function'
          ? what(text)
          : what.test(text);
    };
    const { stack } = new Error('waitFor');
    return new Promise((resolve, reject) => {
      const end = (why?: string) => {
        this.#waiting.delete(look);
        clearTimeout(limit);
        if (why === undefined) resolve();
        else reject(Object.assign(new Error(`${why} ${String(what)}; it shows\n${this.text()}`), { stack }));
      };
      const look = () => {
        if (there()) end();
        else if (this.#code !== undefined) end(`the program ended with ${this.#code} without`);
      };
      const limit = setTimeout(() => end('the terminal never showed'), LIMIT_MS);
      this.#waiting.add(look);
      look();
    });
  }

  /** As typed; the Enter key is `\r`, Ctrl-C `\x03`. */
  type(keys: string): void {
    this.#pty.write(keys);
  }

  kill(): void {
    this.#pty.kill('SIGKILL');
  }
}

/** For the end of a test: whatever it has left running. */
export function closeTerminals(): void {
  for (const terminal of running) terminal.kill();
}
