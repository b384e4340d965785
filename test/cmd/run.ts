import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { main as Main } from '../../cmd/main.ts';
import type { Host } from '../../cmd/terminal.ts';
import { afterwards, temporaryFolder } from '../support/cleanup.ts';

/** The built executable as users run it: `npm test` builds it first. */
export const EXECUTABLE = join(import.meta.dirname, '../../dist/tradeform.cjs');
/** What the executable loads. */
export const MAIN = pathToFileURL(join(import.meta.dirname, '../../dist/main.cjs')).href;

/** Found nowhere but where it was put: a token whose secret is easy to search for. */
export const CANARY = 'svc_live_0ca9a21e.canary-secret-4f8b1d';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. */
  readonly input?: string;
}

/** A run of the built program in this process. */
interface Run {
  readonly ended: Promise<Ran>;
  /** Called with all of stdout so far, whenever there is more. */
  onStdout(listener: (text: string) => void): void;
  /** What a signal does to it. */
  signal(name: NodeJS.Signals): void;
}

export { run as startTradeform };

function run(args: readonly string[], { cwd = tmpdir(), env = {}, input = '' }: RunOptions): Run {
  const signals = new EventEmitter();
  const listeners: ((text: string) => void)[] = [];
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        said[name] += String(text);
        if (name === 'stdout') for (const listener of listeners) listener(said.stdout);
        done();
      },
    });
  const ended = new Promise<Ran>((resolve, reject) => {
    const host = {
      stdin: Readable.from(input === '' ? [] : [input]),
      stdout: stream('stdout'),
      stderr: stream('stderr'),
      env: { PATH: process.env.PATH ?? '', ...env },
      cwd: () => cwd,
      // Errors that nobody catches are the business of Vitest, which fails.
      on: (name: string, listener: () => void) => void signals.on(name, listener),
      off: (name: string, listener: () => void) => void signals.off(name, listener),
      exit: (code: number) => resolve({ code, ...said }),
    };
    import(MAIN).then(({ main }: { main: typeof Main }) => main(args, host as unknown as Host)).catch(reject);
  });
  return {
    ended,
    onStdout: (listener) => void listeners.push(listener),
    signal: (name) => void signals.emit(name),
  };
}

/**
 * Runs the built program to its end in this process, as if in one of its own: with streams, a working directory and an
 * environment of its own, in which there is nothing of ours but the path. {@link executable} does what needs a process.
 */
export function tradeform(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return run(args, options).ended;
}

/** Runs the executable to its end in a process of its own: for what Node, the system or a signal does. */
export function executable(
  args: readonly string[],
  options: RunOptions & {
    /** What to do with the child right after it was started. */
    readonly during?: (child: ChildProcess) => void;
  } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [EXECUTABLE, ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: { PATH: process.env.PATH ?? '', ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? '');
    options.during?.(child);
  });
}

/** A folder with these files. */
export function folder(files: Readonly<Record<string, string>>): { path: string } {
  const path = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path };
}

export interface RunningSandbox {
  readonly baseUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** `tradeform sandbox`, with one account whose token is the canary, or with what a seed file says. */
export async function startSandbox(args: readonly string[] = [], seed?: string): Promise<RunningSandbox> {
  const seeded = folder({
    'seed.json': JSON.stringify({ accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }] }] }),
  });
  const words = ['sandbox', '-q', '-o', 'json', '--seed', seed ?? join(seeded.path, 'seed.json'), ...args];
  const { ended, onStdout, signal } = run(words, {});
  const line = await new Promise<string>((resolve, reject) => {
    onStdout((text) => {
      if (text.includes('\n')) resolve(text);
    });
    void ended.then(({ code, stderr }) => reject(new Error(`the sandbox ended with ${code}: ${stderr}`)));
  });
  const { base_url: baseUrl, token } = JSON.parse(line) as { base_url: string; token: string };
  const stop = async () => {
    signal('SIGTERM');
    await ended;
  };
  afterwards(stop);
  return { baseUrl, token, stop };
}

const SELL_SIDE = `
    auto_sell: { enabled: false, expiry_time: "0", tp_orders: [], sl_orders: [], follow_sell: false, proportional_sell: false }
    auto_strategy: { migration_clear: false, timed_sell: false, sell_delay: "0" }
    timed_strategy: { enabled: false, orders: [] }`;

/** A project with a label and a running sniper task. */
export function projectFiles({ buy = '0.5' }: { buy?: string } = {}): Record<string, string> {
  return {
    'tradeform.yaml': 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n',
    'manifests/label.yaml':
      'apiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: high-risk\nspec:\n  name: High risk\n  sort_order: 1\n',
    'manifests/alpha.yaml': `apiVersion: tradeform/v1
kind: SniperTask
metadata:
  name: alpha
spec:
  state: active
  remark: Early launches
  label: high-risk
  target_wallet: 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU
  config:
    buy_amount: "${buy}"
    relay_mode: { tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }
    priority_mode: { tip_amount: "0.001", priority_fee: "0.0005", slippage: "15" }
    selected_dexes: [pump-fun, launchlab]
    dex_source: config${SELL_SIDE}
`,
  };
}

export function readText(...path: readonly string[]): string {
  return readFileSync(join(...path), 'utf8');
}
