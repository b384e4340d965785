import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** The built executable as users run it: `npm test` builds it first. */
export const EXECUTABLE = join(import.meta.dirname, '../../dist/tradeform.cjs');

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
  /** What to do with the child right after it was started. */
  readonly during?: (child: ChildProcess) => void;
}

/** Runs tradeform to its end, with nothing of our own environment but the path. */
export function tradeform(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
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

/** A folder with these files; `remove` takes it away. */
export function folder(files: Readonly<Record<string, string>>): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'tradeform-test-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface RunningSandbox {
  readonly baseUrl: string;
  readonly token: string;
  stop(): Promise<void>;
}

/** `tradeform sandbox` in a process of its own, with one account whose token is the canary, or with what a seed file says. */
export async function startSandbox(args: readonly string[] = [], seed?: string): Promise<RunningSandbox> {
  const seeded = folder({
    'seed.json': JSON.stringify({ accounts: [{ login_username: 'whales', tokens: [{ token: CANARY }] }] }),
  });
  const child = spawn(
    process.execPath,
    [EXECUTABLE, 'sandbox', '-q', '-o', 'json', '--seed', seed ?? join(seeded.path, 'seed.json'), ...args],
    { env: { PATH: process.env.PATH ?? '' }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
    child.once('close', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  const { base_url: baseUrl } = JSON.parse(line) as { base_url: string };
  return {
    baseUrl,
    token: CANARY,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      seeded.remove();
    },
  };
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
