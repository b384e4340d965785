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
  project.remove();
  return { ...ran, connected };
}

const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

it('a connection is opened before the manifests are known to be valid, and nothing is sent if they are not', async () => {
  const files = { ...projectFiles(), 'manifests/wrong.yaml': 'kind: Nothing\n' };
  const { code, connected } = await plan(files, { TRADEFORM_BASE_URL: base() });
  const [socket] = (await connected) as [Socket];
  // It is ended by the run: what was sent on it has come then.
  if (!socket.destroyed) await once(socket, 'close');
  expect({ code, ...seen }).toEqual({ code: 3, connections: 1, bytes: 0, requests: [] });
});

it('the first request uses that connection', async () => {
  const { code } = await plan(projectFiles(), { TRADEFORM_BASE_URL: base() });
  expect(code).toBe(1);
  expect(seen).toMatchObject({ connections: 1, requests: ['/v1/me'] });
});

it('not if only a file of the repository names the host, of a project or of a fleet', async () => {
  const wrong: Readonly<Record<string, string>> = {
    ...projectFiles(),
    'manifests/wrong.yaml': 'kind: Nothing\n',
  };
  const { 'tradeform.yaml': project = '' } = wrong;
  const named = `${project.trimEnd()}\nspec: { environments: { production: { base_url: "${base()}" } } }\n`;
  const single = await plan({ ...wrong, 'tradeform.yaml': named }, {});
  expect(single.stderr).toContain('unknown-kind');
  expect(single.stderr).not.toContain('tradeform.yaml');
  const fleet = `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec: { base_url: "${base()}", units: [{ project: ., name: one, token_env: TRADEFORM_ONE }] }
`;
  const run = await plan({ ...wrong, 'fleet.yaml': fleet }, { TRADEFORM_ONE: CANARY }, ['fleet', 'plan']);
  expect(run.stdout).toContain('unknown-kind');
  expect({ code: run.code, ...seen }).toEqual({ code: 3, connections: 0, bytes: 0, requests: [] });
});
