import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { SandboxCommandOptions } from '../../src/kit/sandbox.ts';

export function scratch(): string {
  return mkdtempSync(join(tmpdir(), 'tradeform-sandbox-'));
}

/** Bundles the command for child processes. Returns the path of the script. */
export async function bundleChild(folder: string): Promise<string> {
  const outfile = join(folder, 'child.cjs');
  const entryPoints = [join(import.meta.dirname, 'child.ts')];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly token: string;
  readonly ended: Promise<number | null>;
}

/** Starts the command in its own process and waits for its first line. */
export async function startChild(script: string, options: SandboxCommandOptions): Promise<Child> {
  const child = spawn(process.execPath, [script, JSON.stringify({ ...options, output: 'json' })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text);
    });
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${errors}`)));
  });
  const { base_url, token } = JSON.parse(line);
  return { process: child, baseUrl: base_url, token, ended };
}
