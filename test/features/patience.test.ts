import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPlan } from '../../src/core/features/plan.ts';
import { createHttpTransport } from '../../src/core/service/http/transport.ts';
import { Memory } from '../../src/kit/notify/notify.ts';
import { gitIn } from '../support/repository.ts';
import { runInMemory } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** Nobody can hold up a run for long, and what ended it is said. */

let project: ProjectRun;
let server: { close(): unknown } | undefined;
beforeEach(async () => {
  project = await openProject();
});
afterEach(async () => {
  server?.close();
  server = undefined;
});

async function listening(made: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/v1`;
}

describe('a service that asks to wait', () => {
  it.each(['999999999', 'Wed, 01 Jan 2125 00:00:00 GMT'])(
    'for longer than a request may take (%s) ends a plan at once, which says so',
    { timeout: 20_000 },
    async (wait) => {
      const body = JSON.stringify({
        error: { code: 'service_unavailable', message: 'busy' },
        request_id: 'r',
      });
      const url = await listening(
        createServer((_request, answer) => answer.writeHead(503, { 'retry-after': wait }).end(body)),
      );
      const env = { ...project.env, TRADEFORM_BASE_URL: url };
      const { code, diagnostics } = await runInMemory({ cwd: project.path, env }, (io) => runPlan({}, io));
      expect(code).toBe(1);
      expect(JSON.stringify(diagnostics)).toMatch(/asked to wait \d{9,} s, and a request may take 180 s/);
    },
  );

  it('with one header after the other is given up by the time for all headers', async () => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\n');
      let at = 0;
      const timer = setInterval(() => socket.write(`x-${at++}: 1\r\n`), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const baseUrl = await listening(tcp);
    const transport = createHttpTransport({ baseUrl, limits: { headersTimeout: 300, totalTimeout: 10_000 } });
    const started = performance.now();
    await expect(transport.send({ method: 'GET', path: '/me', headers: {} })).rejects.toMatchObject({
      detail: 'the answer took too long to begin: more than 0.3 s',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    await transport.close();
  });
});

describe('the lock of the memory of notifications', () => {
  const told = { event: 'failed', identity: 'one', at: 1 };
  const save = async () => {
    const memory = new Memory(join(project.path, 'told.json'));
    memory.set('a', told);
    await memory.save();
    return project.read('told.json');
  };

  it('of a run that died is taken over, whatever its time says', { timeout: 20_000 }, async () => {
    const lock = join(project.path, 'told.json.lock');
    writeFileSync(lock, '');
    utimesSync(lock, new Date('2125-01-01'), new Date('2125-01-01'));
    expect(await save()).toContain('"one"');
  });

  it('that is a link without a target is taken over', { timeout: 20_000 }, async () => {
    symlinkSync('/nowhere/at/all', join(project.path, 'told.json.lock'));
    expect(await save()).toContain('"one"');
  });

  it('that others take again and again is given up, with its name', { timeout: 30_000 }, async () => {
    const lock = join(project.path, 'told.json.lock');
    let at = 1;
    writeFileSync(lock, '');
    const again = setInterval(() => {
      at += 1;
      writeFileSync(lock, '');
      utimesSync(lock, at, at);
    }, 5);
    try {
      await expect(save()).rejects.toThrow(`other runs held ${lock} for 10 s`);
    } finally {
      clearInterval(again);
    }
  });
});

describe('a revision name', () => {
  it('means the branch, whatever file .git has with its name', async () => {
    const git = gitIn(project.path);
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'one');
    const one = git('rev-parse', 'HEAD').trim();
    git('commit', '-q', '--allow-empty', '-m', 'two');
    const two = git('rev-parse', 'HEAD').trim();
    git('checkout', '-q', '-b', 'work');
    const base = async (name: string) => {
      const { code, stdout, diagnostics } = await project.plan({ base: name, output: 'json' });
      return [code, stdout.includes(one), stdout.includes(two), diagnostics[0]?.code];
    };
    const expected = await base('main');
    // The plan names the base, so the two commits can be told apart.
    expect(await base('main~1')).not.toEqual(expected);
    writeFileSync(join(project.path, '.git/main'), `${one}\n`);
    expect(await base('main')).toEqual(expected);
    expect(await base('refs/heads/main')).toEqual(expected);
    writeFileSync(join(project.path, `.git/${two.slice(0, 12)}`), `${one}\n`);
    expect(await base(two.slice(0, 12))).toEqual(expected);
    writeFileSync(join(project.path, '.git/nightly'), `${one}\n`);
    expect(await base('nightly')).toEqual([3, false, false, 'revision-unknown']);
  });
});

it('a file name with escape characters is shown as text, in every format', async () => {
  const name = 'manifests/a\u001b[31m\u009b\u202eb.yaml';
  project.write(name, 'kind: Nothing\n');
  for (const output of ['gitlab', 'github', 'text', 'markdown', 'sarif'] as const) {
    const { stdout, stderr } = await project.validate({ output });
    expect([output, (stdout + stderr).match(/[\u001b\u009b\u202e]|u001b/)]).toEqual([output, null]);
  }
});
