import { join } from 'node:path';
import { folder, startSandbox } from '../cmd/run.ts';
import { TOKEN, wideDesk } from '../support/wide-desk.ts';
import { type TerminalOptions, TestTerminal } from './terminal.ts';

/** A project, the service it is for, and terminals in front of both. */
export interface Desk {
  readonly path: string;
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  open(args: readonly string[], options?: Partial<TerminalOptions>): TestTerminal;
  /** A door of the sandbox, as `faults`; with a body it is a POST. */
  door(name: string, body?: object): Promise<unknown>;
}

/** With files of its own it is those and the seed that are used. */
export async function openDesk(
  of: { readonly seed: string; readonly files: Readonly<Record<string, string>> } = wideDesk(),
): Promise<Desk> {
  const files = folder({ ...of.files, 'seed.json': of.seed });
  const service = await startSandbox([], join(files.path, 'seed.json'));
  const env = { TRADEFORM_BASE_URL: service.baseUrl, TRADEFORM_TOKEN: TOKEN };
  return {
    path: files.path,
    baseUrl: service.baseUrl,
    env,
    open: (args, options = {}) =>
      new TestTerminal(args, { cwd: files.path, ...options, env: { ...env, ...options.env } }),
    door: async (name, body) => {
      const url = new URL(`/_sandbox/${name}`, service.baseUrl);
      const answer = await fetch(
        url,
        body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
      );
      if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
      return answer.status === 204 ? undefined : await answer.json();
    },
  };
}
