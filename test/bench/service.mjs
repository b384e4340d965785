// Starts the sandbox process for one account and one latency at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { TOKEN } from './account.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the sandbox as it stands in src/ into a folder; the result is what {@link startService} takes. */
export async function bundleSandbox(folder) {
  const outfile = join(folder, 'sandbox.mjs');
  await build({
    stdin: {
      contents:
        "export { createSandbox } from './sandbox.ts'; export { startServer } from './server.ts'; export { versionDigest } from '../core/desired/version.ts'; export { selfSigned } from '../../test/http/certificate.ts';",
      resolveDir: here('../../src/sandbox'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

/** A service that holds the account of `seedOf` (account.mjs) with these settings. */
export async function startService(bundle, account) {
  const ca = join(dirname(bundle), 'ca.pem');
  const child = fork(here('./sandbox.mjs'), [bundle, JSON.stringify(account), ca], {
    execArgv: ['--max-old-space-size=8192'],
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the sandbox ended with ${code}`);
  });
  failed.catch(() => undefined);
  const message = async () => (await Promise.race([once(child, 'message'), failed]))[0];
  const { port, baseUrl, overTls } = await message();
  const control = async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}/_sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return {
    baseUrl,
    token: TOKEN,
    /** The environment of a program that speaks TLS with it, tradeform or a floor. */
    env: {
      ...{ TRADEFORM_BASE_URL: overTls, TRADEFORM_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: ca },
      ...{ BENCH_BASE_URL: overTls, BENCH_TOKEN: TOKEN },
    },
    /** Milliseconds before each answer; many requests wait side by side. */
    async setLatency(ms) {
      await control('DELETE', 'faults');
      if (ms > 0) await control('POST', 'faults', { times: 0, fault: { type: 'delay', ms } });
    },
    /** Requests, bytes sent, CPU of the service and mean time to an answer in milliseconds, since the last call. */
    async figures() {
      child.send('figures');
      return message();
    },
    /** Adds rules of faults (`faultRule` in schemas/sandbox.schema.json). */
    addFaults: (rules) => control('POST', 'faults', rules),
    async log() {
      return (await control('GET', 'log')).entries;
    },
    clearLog: () => control('DELETE', 'log'),
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
