import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { CANARY, folder, projectFiles, tradeform } from './run.ts';

const seen: { connections: number; bytes: number; requests: string[] } = {
  connections: 0,
  bytes: 0,
  requests: [],
};
const server = createServer(({ url = '' }, response) => {
  seen.requests.push(url);
  response.writeHead(401, { 'content-type': 'application/json' });
  response.end('{"error":{"code":"invalid_api_token","message":"no"},"request_id":"r"}');
}).on('connection', (socket: Socket) => {
  seen.connections += 1;
  socket.on('data', (bytes) => {
    seen.bytes += bytes.length;
  });
});
server.listen(0, '127.0.0.1');
const closed = () => new Promise((resolve) => server.close(resolve));
afterAll(closed);

beforeEach(() => {
  Object.assign(seen, { connections: 0, bytes: 0, requests: [] });
});

async function plan(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  command = ['plan'],
) {
  const project = folder(files);
  const connected = once(server, 'connection');
  const ran = await tradeform(command, { cwd: project.path, env: { TRADEFORM_TOKEN: CANARY, ...env } });
  return { ...ran, connected };
}

const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

/** Invalid, and it takes a while to find that out. */
const invalid = (): Readonly<Record<string, string>> => ({
  ...projectFiles(),
  ...Object.fromEntries(
    Array.from({ length: 1_500 }, (_, index) => [
      `manifests/many/preset-${index}.yaml`,
      `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: preset-${index} }\nspec: { for: sniper, config: {} }\n`,
    ]),
  ),
  'manifests/wrong.yaml': 'kind: Nothing\n',
  'manifests/wrong-too.yaml': 'kind: Anything\n',
});

/** The host of the service is in the project file alone. */
function named({ 'tradeform.yaml': project = '', ...files }: Readonly<Record<string, string>>) {
  const spec = `spec: { environments: { production: { base_url: "${base()}" } } }`;
  return { ...files, 'tradeform.yaml': `${project.trimEnd()}\n${spec}\n` };
}

it('the service is read while the manifests are compiled, and closed with all their problems', async () => {
  for (const [files, env] of [
    [invalid(), { TRADEFORM_BASE_URL: base() }],
    [named(invalid()), {}],
  ] as const) {
    const { code, stderr, connected } = await plan(files, env);
    const [socket] = (await connected) as [Socket];
    if (!socket.destroyed) await once(socket, 'close');
    expect({ code, requests: seen.requests.splice(0) }).toEqual({ code: 3, requests: ['/v1/me'] });
    expect(stderr).toContain('wrong.yaml');
    expect(stderr).toContain('wrong-too.yaml');
  }
});

it('not by validate, not if the project file is wrong, and not for a host that only a reviewed file or a fleet names', async () => {
  const nothing = { connections: 0, bytes: 0, requests: [] };
  const files = named(invalid());
  const none = async (ran: ReturnType<typeof plan>, code: number) =>
    expect({ code: (await ran).code, ...seen }).toEqual({ code, ...nothing });
  await none(plan(files, {}, ['validate']), 3);
  await none(plan(files, {}, ['plan', '--base', 'main']), 3);
  const wrong = { ...files, 'tradeform.yaml': `${files['tradeform.yaml']}guardrails: 1\n` };
  await none(plan(wrong, { TRADEFORM_BASE_URL: base() }), 3);
  const fleet = `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec: { base_url: "${base()}", units: [{ project: ., name: one, token_env: TRADEFORM_ONE }] }
`;
  const of = { ...invalid(), 'fleet.yaml': fleet };
  await none(plan(of, { TRADEFORM_ONE: CANARY }, ['fleet', 'plan']), 3);
});
