// The sandbox in a process of its own, with the bench's account in memory. Started by service.mjs with a bundle of src/sandbox
// and the sizes, and a file for its certificate; speaks to its parent over IPC: `ready` once, and `figures` when asked.
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { createServer } from 'node:tls';
import { pathToFileURL } from 'node:url';
import { seedOf } from './account.mjs';

const [bundle, settings, ca] = process.argv.slice(2);
const { createSandbox, selfSigned, startServer, versionDigest } = await import(pathToFileURL(bundle).href);

const sandbox = createSandbox({ seed: seedOf(JSON.parse(settings), versionDigest) });
const server = await startServer(sandbox, 0, (error) => console.error(error));

/** The same service over TLS. The round trips of a handshake take no time here, only its computing does. */
const certificate = selfSigned('127.0.0.1');
writeFileSync(ca, certificate.cert);
const front = createServer(certificate, (socket) => {
  const behind = connect(server.port, '127.0.0.1');
  for (const end of [socket, behind]) end.setNoDelay(true).on('error', () => undefined);
  socket.pipe(behind).pipe(socket);
});
await once(front.listen(0, '127.0.0.1'), 'listening');
const overTls = server.baseUrl.replace(/^http:.*:[0-9]+/, `https://127.0.0.1:${front.address().port}`);

/** What went over the wire since the last question, and how long requests took from their arrival to their answer. */
let sockets = new Map();
let begun = new WeakMap();
let answers = [];
let cpu = process.cpuUsage();
subscribe('http.server.request.start', ({ request, socket }) => {
  if (request.url.startsWith('/_sandbox/')) return;
  begun.set(request, performance.now());
  if (!sockets.has(socket)) sockets.set(socket, socket.bytesWritten);
});
subscribe('http.server.response.finish', ({ request }) => {
  const at = begun.get(request);
  if (at !== undefined) answers.push(performance.now() - at);
});

function figures() {
  let bytes = 0;
  for (const [socket, before] of sockets) bytes += socket.bytesWritten - before;
  const { user, system } = process.cpuUsage(cpu);
  const total = answers.reduce((sum, each) => sum + each, 0);
  const taken = {
    requests: answers.length,
    bytes,
    cpu: (user + system) / 1_000,
    roundTrip: total / answers.length,
  };
  sockets = new Map();
  begun = new WeakMap();
  answers = [];
  cpu = process.cpuUsage();
  return taken;
}

process.on('message', (message) => {
  if (message === 'figures') process.send({ type: 'figures', ...figures() });
});
// Whatever becomes of the parent, nothing stays behind.
process.on('disconnect', () => process.exit(0));
process.send({ type: 'ready', port: server.port, baseUrl: server.baseUrl, overTls });
