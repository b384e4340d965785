import { expect } from 'vitest';
import { createSandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { afterwards } from '../support/cleanup.ts';
import type { Operation } from './document.ts';
import type { Judge, Received, Sent } from './judge.ts';

/** What has been seen, over all runs: `operation status` and `operation code`. */
export class Coverage {
  readonly statuses = new Set<string>();
  readonly codes = new Set<string>();
  answers = 0;

  add(operation: Operation, reply: Reply): void {
    this.answers += 1;
    this.statuses.add(`${operation.id} ${reply.status}`);
    if (reply.code !== undefined) this.codes.add(`${operation.id} ${reply.code}`);
  }
}

export interface Reply extends Received {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly data: any;
  readonly code: string | undefined;
}

export interface Call extends Partial<Sent> {
  /** Instead of `body`, exactly these characters. */
  readonly raw?: string;
  /** Appended to the URL as it is. */
  readonly rawQuery?: string;
  /** Default the first token; false sends none. */
  readonly token?: string | false;
}

/** What else may be answered is not shown: to a malformed id or cursor, a missing If-Match, a resume of an active task. */
const OPEN_CODES = ['validation_error', 'config_must_be_paused'];

/** The sandbox over real HTTP. Every answer that comes through `call` is judged and counted. */
export async function startService(judge: Judge, coverage: Coverage, options: SandboxOptions = {}) {
  const sandbox = createSandbox(options);
  const errors: unknown[] = [];
  const server = await startServer(sandbox, 0, (error) => errors.push(error));
  afterwards(async () => {
    await server.close();
    expect(errors).toEqual([]);
  });

  const send = async (operation: Operation, call: Call): Promise<Reply> => {
    const token = call.token ?? sandbox.tokens()[0]?.token;
    const body = call.raw ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const query = call.rawQuery ?? new URLSearchParams(call.query).toString();
    const path = operation.path.replace('{id}', encodeURIComponent(call.id ?? ''));
    const response = await fetch(`${server.baseUrl}${path}${query === '' ? '' : `?${query}`}`, {
      method: operation.method,
      headers: {
        ...(token === false ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const parsed = text.startsWith('{') ? JSON.parse(text) : undefined;
    const headers = Object.fromEntries(response.headers);
    return { status: response.status, headers, text, data: parsed?.data, code: parsed?.error?.code };
  };

  return {
    sandbox,
    server,
    send,
    call: async (operation: Operation, call: Call = {}): Promise<Reply> => {
      const reply = await send(operation, call);
      const problems = await judge.answer(operation, reply);
      if (reply.code !== undefined && ![...operation.codes, ...OPEN_CODES].includes(reply.code)) {
        problems.push(`the code ${reply.code} is not listed`);
      }
      expect(problems, `${operation.id} answered ${reply.status} ${reply.text.slice(0, 300)}`).toEqual([]);
      coverage.add(operation, reply);
      return reply;
    },
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
