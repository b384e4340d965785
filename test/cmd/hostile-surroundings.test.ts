import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CANARY, EXECUTABLE, folder, projectFiles, readText, tradeform } from './run.ts';

describe('names of files', () => {
  const HOSTILE = 'a\x1b]0;title\x07\x1b[31m\x9b1m.yaml';

  it.each([
    'validate',
    'validate -o github',
    'validate -o gitlab',
    'validate -o sarif',
    'validate -o markdown',
    'fmt --check',
    'fmt manifests/FILE',
    'doctor',
    'plan',
  ])('reach no terminal and no log unescaped: %s', async (line) => {
    const args = line.split(' ').map((word) => word.replace('FILE', HOSTILE));
    const project = folder({ ...projectFiles(), [`manifests/${HOSTILE}`]: 'kind: Labl\n' });
    for (const env of [{}, { GITHUB_ACTIONS: 'true', NO_COLOR: '1' }]) {
      const { code, stdout, stderr } = await tradeform(args, { cwd: project.path, env });
      expect(code).toBe(3);
      expect(`${stdout}${stderr}`.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe('a service that sends a byte a second', () => {
  afterEach(() => void vi.useRealTimers());

  it('delays a run for seconds, not minutes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    // How long each answer was read. Between two, sockets and files take time of the machine, which this clock does not have.
    const took: number[] = [];
    let open = 0;
    const server = createServer((_request, response) => {
      const begun = Date.now();
      open += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 1_000);
      response.on('close', () => {
        clearInterval(timer);
        open -= 1;
        took.push(Date.now() - begun);
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    try {
      const project = folder(projectFiles());
      const env = { TRADEFORM_BASE_URL: `http://127.0.0.1:${port}/v1`, TRADEFORM_TOKEN: CANARY };
      const running = tradeform(['plan'], { cwd: project.path, env });
      let over = false;
      void running.finally(() => {
        over = true;
      });
      // What is on its way between the two needs turns of the loop and no time.
      for (let turn = 0; !over; turn += 1) {
        // Where no answer is read, the machine may be at work: time goes on slowly, for the waits.
        if (turn % (open > 0 ? 20 : 2_000) === 0) await vi.advanceTimersByTimeAsync(500);
        await new Promise((next) => setImmediate(next));
      }
      const { code, stderr } = await running;
      expect([code, stderr]).toEqual([1, expect.stringContaining('too slowly')]);
      expect(took.length).toBeLessThanOrEqual(5);
      expect(Math.max(...took)).toBeLessThan(20_000);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe.skipIf(process.platform === 'win32')('a folder that is gone', () => {
  /** A process whose working directory was deleted before it started. */
  const inNoFolder = (command: string) => {
    const path = join(folder({}).path, 'gone');
    const script = `mkdir ${path}; cd ${path}; rmdir ${path}; ${command}`;
    return spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { PATH: process.env.PATH } });
  };

  it.each([
    ['plan', 3, 'error[invalid-option]: the working directory is gone'],
    ['validate -o json', 3, 'the working directory is gone'],
    ['--version', 0, '0.'],
    ['--help', 0, 'Usage:'],
  ])('%s ends with %i and no stack', (line, code, said) => {
    const { status, stdout, stderr } = inNoFolder(`${process.execPath} ${EXECUTABLE} ${line}`);
    expect(`${stdout}${stderr}`).toContain(said);
    expect(`${stdout}${stderr}`).not.toMatch(/^\s+at /m);
    expect(status).toBe(code);
  });

  const page = readText(import.meta.dirname, '../../docs/how-to/monitoring.md');
  const script = (/^#!\/bin\/sh\n[^`]*/m.exec(page)?.[0] ?? '').replace('/srv/desk', 'desk');

  it('ends the script of the schedule with 1, which is not the 2 of drift', () => {
    expect(page).toContain('SuccessExitStatus=2');
    for (const there of [{}, { 'desk/.keep': '' }]) {
      const at = folder({ ...there, 'drift.sh': script }).path;
      const { status } = spawnSync('sh', ['drift.sh'], {
        cwd: at,
        env: { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: at },
      });
      expect(status).toBe(1);
    }
  });

  it('does not hide from the script of the schedule what drift ends with', () => {
    for (const code of [0, 1, 2, 4]) {
      const at = folder({
        'drift.sh': script.replace(/^git pull.*$/m, ''),
        'desk/node_modules/.bin/tradeform': `#!/bin/sh\necho "ran $*"\nexit ${code}\n`,
      }).path;
      chmodSync(join(at, 'desk/node_modules/.bin/tradeform'), 0o755);
      const { status, stdout } = spawnSync('sh', ['drift.sh'], {
        cwd: at,
        encoding: 'utf8',
        env: { PATH: process.env.PATH },
      });
      expect([status, stdout]).toEqual([code, code === 0 ? '' : 'ran drift --quiet --deadline 10m\n']);
    }
  });
});
