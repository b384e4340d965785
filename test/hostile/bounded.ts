import { spawn } from 'node:child_process';
import { EXECUTABLE, folder, projectFiles, type Ran } from '../cmd/run.ts';

/** Far more than any run of these tests needs, and far less than their attacks take. Seconds of CPU. */
export const CPU_BOUND = 20;

interface Preparation {
  readonly env?: Readonly<Record<string, string>>;
  /** Makes what is no file. */
  readonly prepare?: (folder: string) => void;
  /** {@link CPU_BOUND} where absent. */
  readonly seconds?: number;
}

/** Runs the built tradeform in a folder with these files. The system kills it (`code` is null) after `seconds` of CPU. */
export async function bounded(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  { env = {}, prepare = () => undefined, seconds = CPU_BOUND }: Preparation = {},
): Promise<Ran> {
  const project = folder(files);
  prepare(project.path);
  return await new Promise((resolve, reject) => {
    const line = `ulimit -t ${Math.ceil(seconds)} && exec "$0" "$@"`;
    const child = spawn('/bin/sh', ['-c', line, process.execPath, EXECUTABLE, ...args], {
      cwd: project.path,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ran = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        ran[name] += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...ran }));
  });
}

/** What `-o json` printed says: `code: message` of each diagnostic. */
export function said({ stdout, stderr, code }: Ran): readonly string[] {
  if (code === null) return ['killed: it took too long'];
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly Record<'code' | 'message', string>[];
  };
  return [...diagnostics.map((one) => `${one.code}: ${one.message}`), ...(stderr === '' ? [] : [stderr])];
}

/** A project file with this below `spec`, and two spaces before each of its lines. */
export function project(spec = ''): string {
  return `apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\nspec:\n  stopped_tasks: hold\n${spec}`;
}

/** A document with a paused sniper task; `change` exchanges parts of its text. */
export function sniper(name: string, change: (text: string) => string = (text) => text): string {
  const text = (projectFiles()['manifests/alpha.yaml'] ?? '')
    .replace('name: alpha', `name: ${name}`)
    .replace('state: active', 'state: paused')
    .replace('remark: Early launches', 'remark: Note')
    .replace('  label: high-risk\n', '');
  return `---\n${change(text)}`;
}
