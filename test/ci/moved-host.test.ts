import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Desk, openDesk } from './desk.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Where a pull request would like the token to go; it notes who asks. */
let elsewhere: Server;
const asked: string[] = [];
let desk: Desk;

beforeAll(async () => {
  elsewhere = createServer(({ headers }, answer) => {
    asked.push(String(headers.authorization));
    answer.writeHead(503).end();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  desk = await openDesk();
  desk.sniper('dawn', '0.1');
  desk.repository.commit();
  desk.repository.git('checkout', '-q', '-b', 'moved');
  const baseUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/v1`;
  const environments = { production: { base_url: baseUrl } };
  const project = { apiVersion: 'tradeform/v1', kind: 'Project', metadata: { name: 'core' } };
  desk.repository.write('tradeform.yaml', JSON.stringify({ ...project, spec: { environments } }));
});
afterAll(() => new Promise((resolve) => elsewhere.close(resolve)));

it('a pull request that moves the service is refused, and its host gets no token', async () => {
  const [, planned] = await desk.push('moved', { vars: {}, validated: true });
  expect(planned?.code, planned?.log).toBe(4);
  expect(asked).toEqual([]);
  const [comment] = desk.github.comments;
  expect(comment?.body).toMatch(/^<!-- tradeform:plan project=core environment=production digest=- -->\n/);
  expect(comment?.body).toContain('`base-url-unconfirmed`');
  expect(comment?.body).toContain('`rule-loosened`');
});

it('with the base URL of the settings it is planned on the right service, and the rules come first', async () => {
  desk.repository.git('checkout', '-q', 'moved');
  desk.sniper('dawn', '0.2');
  const [, planned] = await desk.push('moved', { validated: true });
  expect(planned?.code, planned?.log).toBe(0);
  expect(asked).toEqual([]);
  const body = desk.github.comments[0]?.body ?? '';
  const host = new URL(desk.baseUrl).host;
  expect(body).toContain(`\n<sub>\`whales\` on \`${host}\`</sub>\n`);
  const first = body.slice(body.indexOf('\n### '));
  expect(first).toMatch(/^\n### Rules changed since [^\n]* \(2\), 2 loosened\n\n- `base_url` loosened: /);
  expect(first).toContain('`account.login_username` loosened: whales → (none)');
});
