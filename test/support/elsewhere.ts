import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards } from './cleanup.ts';

/** A host of somebody else. */
export interface Elsewhere {
  readonly baseUrl: string;
  /** The credentials that were sent to it. */
  readonly asked: readonly string[];
}

/** It notes what it is asked, and answers with 503. */
export async function openElsewhere(): Promise<Elsewhere> {
  const asked: string[] = [];
  const server = createServer(({ headers }, answer) => {
    asked.push(String(headers.authorization));
    answer.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  afterwards(() => new Promise((resolve) => server.close(resolve)));
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked };
}
