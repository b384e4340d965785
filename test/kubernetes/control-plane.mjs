// etcd, kube-apiserver and kube-controller-manager on loopback ports of their own, in a temporary folder. There is no kubelet.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOKEN = 'admin-of-a-control-plane-on-loopback';

export async function startControlPlane(tools) {
  const folder = mkdtempSync(join(tmpdir(), 'tradeform-kubernetes-'));
  const at = (name) => join(folder, name);
  const [client, peer, port, managerPort] = await freePorts(4);
  const started = [];
  const run = (file, args) => {
    const child = spawn(file, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      printed = (printed + text).slice(-4_000);
    });
    child.once('exit', (code) => {
      if (!stopping) console.error(`${file} ended with ${code}\n${printed}`);
    });
    started.push(child);
  };
  let stopping = false;
  process.once('exit', () => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  execFileSync('openssl', ['genrsa', '-out', at('sa.key'), '2048'], { stdio: 'ignore' });
  execFileSync('openssl', ['rsa', '-in', at('sa.key'), '-pubout', '-out', at('sa.pub')], { stdio: 'ignore' });
  writeFileSync(at('tokens.csv'), `${TOKEN},admin,admin,system:masters\n`);
  const url = (number) => `http://127.0.0.1:${number}`;
  run('etcd', [
    '--name=one',
    `--data-dir=${at('etcd')}`,
    `--listen-client-urls=${url(client)}`,
    `--advertise-client-urls=${url(client)}`,
    `--listen-peer-urls=${url(peer)}`,
    `--initial-advertise-peer-urls=${url(peer)}`,
    `--initial-cluster=one=${url(peer)}`,
  ]);
  run(tools['kube-apiserver'], [
    `--etcd-servers=${url(client)}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${at('certs')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--service-account-issuer=https://issuer.invalid',
    `--service-account-key-file=${at('sa.pub')}`,
    `--service-account-signing-key-file=${at('sa.key')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--disable-admission-plugins=ServiceAccount',
  ]);

  /** One request; resolves with the answer's status, document and warnings. */
  const ask = (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const ca = readFileSync(at('certs/apiserver.crt'));
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
      const asked = request({ host: '127.0.0.1', port, path, method, ca, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part) => {
          text += part;
        });
        answer.once('end', () => {
          const isJson = answer.headers['content-type']?.includes('json') === true;
          resolve({
            status: answer.statusCode,
            document: isJson ? JSON.parse(text) : text,
            warning: answer.headers.warning,
          });
        });
      });
      asked.once('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  /** The document of an answer that must be good. */
  const api = async (...args) => {
    const { status, document } = await ask(...args);
    if (status >= 300) throw new Error(`${args[0]} ${args[1]}: ${status} ${document.message ?? document}`);
    return document;
  };

  await until('the API server', 180, async () => {
    try {
      return (await ask('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  });
  const kubeconfig = at('kubeconfig');
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority': at('certs/apiserver.crt') };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'one',
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'admin' } }],
      clusters: [{ name: 'one', cluster }],
      users: [{ name: 'admin', user: { token: TOKEN } }],
    }),
  );
  run(tools['kube-controller-manager'], [
    '--controllers=job-controller,cronjob-controller',
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${managerPort}`,
    `--kubeconfig=${kubeconfig}`,
  ]);
  return {
    ask,
    api,
    kubeconfig,
    async stop() {
      stopping = true;
      for (const child of started.reverse()) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks until the answer is true; fails after `seconds`. */
export async function until(what, seconds, holds) {
  const end = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await holds();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function freePorts(many) {
  const servers = Array.from({ length: many }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  for (const server of servers) server.close();
  return ports;
}
