import { beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import type { PauseOptions } from '../../../src/core/features/switch/pause.ts';
import { runPauseEnvironments } from '../../../src/kit/fleet/switch.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startServer } from '../../../src/sandbox/server.ts';
import { seedTask, uuid } from '../../support/builders.ts';
import { afterwards } from '../../support/cleanup.ts';
import { onRequest } from '../../support/requests.ts';
import { type Result, runInMemory } from '../in-memory.ts';
import { openProject, type ProjectRun } from '../project-run.ts';
import { operate } from './operate.ts';

/** `pause --all --all-environments`: every account of the project, each with its own token. */

interface Place {
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
  readonly token: string;
  /** Tokens that it was shown. */
  readonly seen: Set<string>;
}

async function open(): Promise<Place> {
  const task = seedTask(1, { remark: 'Note [git:core/alpha@0]', version: 1 });
  const sandbox = createSandbox({ seed: { accounts: [{ tasks: [task] }] } });
  const seen = new Set<string>();
  onRequest(sandbox, ({ headers }) => seen.add(headers.authorization ?? ''));
  const server = await startServer(sandbox);
  afterwards(() => server.close());
  const token = sandbox.tokens()[0]?.token ?? '';
  return { sandbox, baseUrl: server.baseUrl, token, seen };
}

let project: ProjectRun;
let eu: Place;
let us: Place;
beforeEach(async () => {
  project = await openProject();
  [eu, us] = await Promise.all([open(), open()]);
  project.write(
    'tradeform.yaml',
    `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec:
  environments:
    eu-west: { base_url: "${eu.baseUrl}" }
    us: { base_url: "${us.baseUrl}" }
`,
  );
});

const tokens = () => ({ TRADEFORM_TOKEN_EU_WEST: eu.token, TRADEFORM_TOKEN_US: us.token });
const pause = (options: PauseOptions = {}, env: Record<string, string> = tokens()) =>
  runInMemory({ cwd: project.path, env: { PATH: process.env.PATH ?? '', ...env } }, (io: Io) =>
    runPauseEnvironments([], { all: true, ...options }, io),
  );
const runs = ({ sandbox }: Place) => [...sandbox.state.tasks.values()].some(({ is_active }) => is_active);

describe('every environment', () => {
  it('is paused, and reported as a unit of a fleet', async () => {
    const { code, stdout, stderr } = await pause();
    expect(code).toBe(0);
    expect([runs(eu), runs(us)]).toEqual([false, false]);
    expect(stdout).toMatch(/── us [\s\S]*1 task paused[\s\S]*── eu-west [\s\S]*1 task paused/);
    expect(stdout).toMatch(/Fleet pause for core[\s\S]*2 accounts: 2 ok/);
    expect(stderr).toContain('eu-west: ended with 0');
  });

  it('is in the title, and a choice that is missing is named, not a way around the project file', async () => {
    const at = { env: { TRADEFORM_BASE_URL: us.baseUrl, TRADEFORM_TOKEN: us.token } };
    const said = ({ diagnostics }: Result) => diagnostics.map(({ hint }) => hint).join(' ');
    const none = await operate(project, at).pause([], { all: true });
    expect([none.code, runs(us)]).toEqual([3, true]);
    expect(said(none)).toContain('--environment');
    expect(said(none)).toContain('--all-environments');
    expect(said(none)).not.toContain('--project-name');
    const { stdout } = await operate(project, at).pause([], { all: true, environment: 'us' });
    expect(stdout).toMatch(/^Pause in core · us · /);
    // The project file is broken, and no choice helps.
    project.write('tradeform.yaml', 'kind: [');
    const broken = await operate(project, at).pause([], { all: true });
    expect(said(broken)).toContain('--project-name');
  });

  it('gets its own token, and no other is sent there', async () => {
    const other = 'svc_live_00000000.of-another';
    const { code, stdout } = await pause(
      {},
      { ...tokens(), TRADEFORM_TOKEN_US: other, TRADEFORM_TOKEN: other },
    );
    expect(code).toBe(1);
    expect([...eu.seen]).toEqual([`Bearer ${eu.token}`]);
    expect([...us.seen]).toEqual([`Bearer ${other}`]);
    expect([runs(eu), runs(us)]).toEqual([false, true]);
    expect(stdout).toMatch(/^us +failed/m);
    expect(stdout).not.toContain('of-another');
  });

  it('can have its token in a file, and its host from the user', async () => {
    project.write('token-of-us', eu.token);
    const env = {
      TRADEFORM_TOKEN_EU_WEST: eu.token,
      TRADEFORM_TOKEN_FILE_US: 'token-of-us',
      TRADEFORM_BASE_URL_US: eu.baseUrl,
    };
    const { code } = await pause({}, env);
    expect({ code, us: us.seen.size }).toEqual({ code: 0, us: 0 });
  });

  it('has the variable that the project file names for it, once that is confirmed, whatever its name', async () => {
    const naming = (name: string) =>
      project.write(
        'tradeform.yaml',
        `apiVersion: tradeform/v1
kind: Project
metadata: { name: core }
spec:
  environments:
    prod: { base_url: "${eu.baseUrl}", token_env: ${name} }
    us: { base_url: "${us.baseUrl}", token_env: TRADEFORM_US_TOKEN }
`,
      );
    for (const name of ['TRADEFORM_TOKEN_PRODUCTION', 'TRADEFORM_TOKEN', 'TRADEFORM_BASE_URL_TOKEN']) {
      naming(name);
      const env = { [name]: eu.token, TRADEFORM_TOKEN_US: us.token };
      const unconfirmed = await pause({}, env);
      expect([unconfirmed.code, eu.seen.size, runs(eu)]).toEqual([4, 0, true]);
      const elsewhere = { ...env, TRADEFORM_CONFIRMED_HOSTS: `${name}=https://elsewhere.example` };
      expect([(await pause({}, elsewhere)).code, eu.seen.size]).toEqual([4, 0]);
      const TRADEFORM_CONFIRMED_HOSTS = `${name}=${new URL(eu.baseUrl).origin}`;
      const { code, stdout } = await pause({}, { ...env, TRADEFORM_CONFIRMED_HOSTS });
      expect({ stdout, code, runs: [runs(eu), runs(us)] }).toMatchObject({ code: 0, runs: [false, false] });
      expect([[...eu.seen], [...us.seen]]).toEqual([[`Bearer ${eu.token}`], [`Bearer ${us.token}`]]);
      eu.sandbox.editStored(uuid(1), { is_active: true });
      eu.seen.clear();
    }
  });

  it('is done even if another one fails: no token, no answer; the worst code counts', async () => {
    const missing = await pause({}, { TRADEFORM_TOKEN_US: us.token });
    expect({ code: missing.code, runs: [runs(eu), runs(us)] }).toEqual({ code: 3, runs: [true, false] });
    expect(missing.stdout).toContain('no token is set for the environment eu-west');
    expect(missing.stdout).toContain('TRADEFORM_TOKEN_EU_WEST, or TRADEFORM_TOKEN_FILE_EU_WEST');
    us.sandbox.editStored(uuid(1), { is_active: true });
    eu.sandbox.faults.add({ times: 0, fault: { type: 'error', code: 'ip_not_allowed' } });
    const failing = await pause({ output: 'json' });
    expect({ code: failing.code, runs: runs(us) }).toEqual({ code: 1, runs: false });
    expect(JSON.parse(failing.stdout)).toMatchObject({
      format: 'tradeform.fleet/1',
      command: 'pause',
      fleet: 'core',
      file: 'tradeform.yaml',
      exit_code: 1,
      chosen: ['eu-west', 'us'],
      units: [
        { name: 'eu-west', environment: 'eu-west', result: 'failed', document: null },
        { name: 'us', result: 'ok', document: { format: 'tradeform.report/2', outcome: 'done' } },
      ],
    });
  });
});

it('one host for all tokens is refused, and nothing is sent', async () => {
  const { code, stdout } = await pause({}, { ...tokens(), TRADEFORM_BASE_URL: eu.baseUrl });
  expect({ code, seen: eu.seen.size + us.seen.size }).toEqual({ code: 3, seen: 0 });
  expect(stdout).toContain('Unset TRADEFORM_BASE_URL, or set TRADEFORM_BASE_URL_US.');
});

it.each<[string, PauseOptions]>([
  ['--environment', { environment: 'us' }],
  ['--base-url', { baseUrl: 'http://127.0.0.1:1/v1' }],
  ['--token-file', { tokenFile: 'x' }],
  ['--project-name', { projectName: 'core' }],
])('%s together with it ends with 3', async (name, options) => {
  const { code, diagnostics } = await pause(options);
  expect({ code, seen: us.seen.size }).toEqual({ code: 3, seen: 0 });
  expect(diagnostics[0]?.message).toContain(name);
});

it('a project without environments ends with 3', async () => {
  project.write('tradeform.yaml', 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n');
  expect((await pause()).code).toBe(3);
});

it('an environment that is called file does not take the token file of another one for its token', async () => {
  project.write(
    'tradeform.yaml',
    `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  environments:\n    file-us: { base_url: "${eu.baseUrl}" }\n    us: { base_url: "${us.baseUrl}" }\n`,
  );
  const { code, stdout } = await pause({}, { TRADEFORM_TOKEN_FILE_US: us.token });
  expect({ code, eu: eu.seen.size }).toEqual({ code: 3, eu: 0 });
  expect(stdout).toContain('Set TRADEFORM_TOKEN_FILE_FILE_US to a file');
});
