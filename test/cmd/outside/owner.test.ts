import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CANARY, folder, projectFiles, tradeform } from '../run.ts';

const HAS_OWNERS = process.geteuid !== undefined;
const IS_ROOT = process.geteuid?.() === 0;
const STRANGER = 4711;
const REFUSED = expect.stringContaining('project-not-yours');

let server: Server;
let asked: string[];
let top: ReturnType<typeof folder>;
let home: string;

/** A folder as /tmp is one, with a project file of somebody else, and the folder in which somebody works. */
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(500).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const files = Object.entries(projectFiles()).map(([name, text]) => [`shared/${name}`, text]);
  top = folder({ ...Object.fromEntries(files), 'shared/work/a.txt': '', 'home/.gitconfig': '' });
  home = join(top.path, 'home');
  writeFileSync(
    shared('tradeform.yaml'),
    `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  base_url: http://127.0.0.1:${port}/v1\n`,
  );
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});

const shared = (path: string) => join(top.path, 'shared', path);
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  tradeform(args, { cwd: shared('work'), env: { HOME: home, TRADEFORM_TOKEN: CANARY, ...env } });

describe.skipIf(!HAS_OWNERS)('a project file that others may write (Windows has other rights)', () => {
  it.each([
    ['in a folder like /tmp', () => chmodSync(shared('.'), 0o1777)],
    ['itself', () => chmodSync(shared('tradeform.yaml'), 0o666)],
  ])(
    '%s: the token is not sent where it says',
    async (_name, change) => {
      change();
      for (const args of [['plan'], ['apply', '--auto-approve'], ['drift'], ['pause', '--all'], ['doctor']]) {
        const { code, stdout, stderr } = await run(args);
        expect([args, code]).toEqual([args, 3]);
        if (args[0] !== 'doctor') expect(`${stdout}${stderr}`).toEqual(REFUSED);
      }
      expect(await run(['init'])).toMatchObject({ code: 3 });
      expect(asked).toEqual([]);
    },
    30_000,
  );

  it('is accepted if it is named, or if the CI system or git’s own settings allow it', async () => {
    chmodSync(shared('.'), 0o777);
    expect(await run(['validate'])).toMatchObject({ code: 3, stderr: REFUSED });
    expect(await run(['validate', '--project', shared('tradeform.yaml')])).toMatchObject({ code: 0 });
    expect(await run(['validate'], { GITHUB_WORKSPACE: top.path })).toMatchObject({ code: 0 });
    expect(await run(['validate'], { CI_PROJECT_DIR: shared('.') })).toMatchObject({ code: 0 });
    expect(await run(['validate'], { CI_PROJECT_DIR: shared('work') })).toMatchObject({ code: 3 });
    for (const [directory, code] of [
      [shared(''), 0],
      ['*', 0],
      [`${top.path}/*`, 0],
      [`${shared('.')}/*`, 3],
      [shared('work'), 3],
      ['~/../shared', 0],
      // An empty value takes back what stands before it.
      ['*\n\tdirectory =', 3],
    ] as const) {
      writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${directory}\n`);
      const { code: ended } = await run(['validate']);
      expect([directory, ended]).toEqual([directory, code]);
    }
  }, 30_000);

  it('is not accepted because the repository says so', async () => {
    chmodSync(shared('.'), 0o777);
    mkdirSync(shared('.git'));
    writeFileSync(shared('.git/HEAD'), 'ref: refs/heads/main\n');
    mkdirSync(shared('.git/objects'));
    mkdirSync(shared('.git/refs'));
    writeFileSync(shared('.git/config'), '[safe]\n\tdirectory = *\n');
    expect(await run(['validate'])).toMatchObject({ code: 3, stderr: REFUSED });
    // A repository is trusted by its top.
    writeFileSync(join(home, '.gitconfig'), `[safe]\n\tdirectory = ${shared('')}\n`);
    expect(await run(['validate'])).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!IS_ROOT)('a project file of another user (only root can make one)', () => {
  it.each(['tradeform.yaml', '.'])('%s: the token is not sent where it says', async (path) => {
    chownSync(shared(path), STRANGER, STRANGER);
    expect(await run(['plan'])).toMatchObject({ code: 3, stderr: REFUSED });
    expect(asked).toEqual([]);
    expect(await run(['validate'], { SUDO_UID: String(STRANGER) })).toMatchObject({ code: 0 });
  });
});
