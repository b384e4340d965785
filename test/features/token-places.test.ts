import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { runDrift } from '../../src/core/features/drift/drift.ts';
import { runPlan } from '../../src/core/features/plan.ts';
import { runStatus } from '../../src/core/features/status/status.ts';
import { runPause } from '../../src/core/features/switch/pause.ts';
import { runResume } from '../../src/core/features/switch/resume.ts';
import { runDoctor } from '../../src/kit/doctor/doctor.ts';
import { runExport } from '../../src/kit/export/export.ts';
import { runPauseEnvironments } from '../../src/kit/fleet/switch.ts';
import { sniper, WALLETS } from '../manifest/samples.ts';
import { type Elsewhere, openElsewhere } from '../support/elsewhere.ts';
import { gitIn } from '../support/repository.ts';
import { runInMemory } from './in-memory.ts';
import { openProject, type ProjectRun } from './project-run.ts';

/** `token_env` and `token_file`: host and token are bound by the operator, never by the project file alone. */

const OTHER = 'svc_live_0ca9a2b2.token-of-another-host';
let project: ProjectRun;
let token: string;
let elsewhere: Elsewhere;
let home: string;

beforeEach(async () => {
  elsewhere = await openElsewhere();
  project = await openProject();
  token = project.sandbox.tokens()[0]?.token ?? '';
  home = `${project.path}-home`;
  mkdirSync(home);
});
afterEach(async () => {
  rmSync(home, { recursive: true });
});

/** The project file with these settings; JSON is YAML. */
function settings(spec: object): void {
  const metadata = { name: 'core' };
  project.write(
    'tradeform.yaml',
    JSON.stringify({ apiVersion: 'tradeform/v1', kind: 'Project', metadata, spec }),
  );
}

function originOf(url: string): string {
  return new URL(url).origin;
}

const here = () => ({ base_url: project.baseUrl, token_env: 'TRADEFORM_EU_TOKEN' });
const confirmed = () => ({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_EU_TOKEN=${originOf(project.baseUrl)}` });
const run = (
  command: (io: Io) => Promise<number>,
  env: Readonly<Record<string, string>> = {},
  more: Partial<Io> = {},
) =>
  runInMemory(
    {
      cwd: project.path,
      env: { PATH: process.env.PATH, TRADEFORM_EU_TOKEN: token, TRADEFORM_US_TOKEN: OTHER, ...env },
    },
    (io) => command({ ...io, ...more }),
  );
const plan = (env: Readonly<Record<string, string>> = {}, more: Partial<Io> = {}, base?: string) =>
  run((io) => runPlan(base === undefined ? {} : { base }, io), env, more);
const requests = () => project.sandbox.log.length;

async function expectRefused(result: Promise<{ code: number; diagnostics: readonly { code: string }[] }>) {
  const before = requests();
  const { code, diagnostics } = await result;
  expect([code, diagnostics.map((one) => one.code)]).toEqual([4, ['token-unconfirmed']]);
  expect([elsewhere.asked, requests()]).toEqual([[], before]);
}

describe('a token that only the project file sends to a host', () => {
  it.each<[string, (io: Io) => Promise<number>]>([
    ['plan', (io) => runPlan({}, io)],
    ['apply', (io) => runApply(undefined, { autoApprove: true, firstApply: true }, io)],
    ['drift', (io) => runDrift({}, io)],
    ['status', (io) => runStatus([], {}, io)],
    ['export', (io) => runExport([], {}, io)],
    ['pause', (io) => runPause([], { all: true }, io)],
    ['resume', (io) => runResume([], { all: true, autoApprove: true }, io)],
  ])('%s refuses it, and sends nothing', async (name, command) => {
    const git = gitIn(project.path);
    git('init', '-q');
    // Drift reads the commit.
    const committed = (spec: object) => {
      settings(spec);
      git('add', '.');
      git('commit', '-qm', name);
    };
    committed({ base_url: elsewhere.baseUrl, token_env: 'TRADEFORM_EU_TOKEN' });
    await expectRefused(run(command));
    committed({ environments: { eu: { base_url: elsewhere.baseUrl, token_file: '/etc/hostname' } } });
    await expectRefused(run(command, confirmed()));
  });

  it('doctor reports it, and asks nobody', async () => {
    settings({ base_url: elsewhere.baseUrl, token_env: 'TRADEFORM_EU_TOKEN' });
    const { code, stdout } = await run((io) => runDoctor({ output: 'json' }, io));
    expect([code, elsewhere.asked]).toEqual([3, []]);
    expect(stdout).toContain('token-unconfirmed');
  });

  it('goes to a host that the environment confirms for it, and each environment has its own', async () => {
    settings({
      environments: {
        eu: here(),
        us: { base_url: elsewhere.baseUrl, token_env: 'TRADEFORM_US_TOKEN' },
      },
    });
    const hosts = `TRADEFORM_US_TOKEN=${originOf(elsewhere.baseUrl)}\nTRADEFORM_EU_TOKEN=${originOf(project.baseUrl)}`;
    const eu = await run((io) => runPlan({ environment: 'eu' }, io), { TRADEFORM_CONFIRMED_HOSTS: hosts });
    expect([eu.code, eu.diagnostics]).toEqual([0, []]);
    expect(new Set(project.sandbox.log.map(({ token_prefix }) => token_prefix))).toEqual(
      new Set([token.slice(0, 17)]),
    );
    const us = await run((io) => runDoctor({ environment: 'us', output: 'json' }, io), {
      TRADEFORM_CONFIRMED_HOSTS: hosts,
    });
    expect([us.code, new Set(elsewhere.asked)]).toEqual([1, new Set([`Bearer ${OTHER}`])]);
  });
});

describe('a pull request', () => {
  it.each<[string, () => object]>([
    ['another host for the token', () => ({ ...here(), base_url: elsewhere.baseUrl })],
    ['another token for the host', () => ({ ...here(), token_env: 'TRADEFORM_US_TOKEN' })],
    ['both', () => ({ base_url: elsewhere.baseUrl, token_env: 'TRADEFORM_US_TOKEN' })],
    ['a file instead', () => ({ base_url: project.baseUrl, token_file: 'token' })],
  ])('%s: no request is sent, with and without --base', async (_name, changed) => {
    const git = gitIn(project.path);
    settings(here());
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    expect((await plan(confirmed())).code).toBe(0);
    project.write('token', token);
    settings(changed());
    const before = requests();
    for (const base of [undefined, 'HEAD']) {
      const { code, diagnostics } = await plan(confirmed(), {}, base);
      expect([code, elsewhere.asked, requests()]).toEqual([4, [], before]);
      const codes = diagnostics.map((one) => one.code);
      expect(codes.includes('token-unconfirmed') || codes.includes('base-url-unconfirmed')).toBe(true);
    }
  });

  it('shows another token as a changed rule before everything else, once both are confirmed', async () => {
    const git = gitIn(project.path);
    settings(here());
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    settings({ ...here(), token_env: 'TRADEFORM_NEW_TOKEN' });
    const both = ['TRADEFORM_EU_TOKEN', 'TRADEFORM_NEW_TOKEN']
      .map((name) => `${name}=${originOf(project.baseUrl)}`)
      .join(',');
    const { code, stdout } = await run((io) => runPlan({ base: 'HEAD', output: 'json' }, io), {
      TRADEFORM_CONFIRMED_HOSTS: both,
      TRADEFORM_NEW_TOKEN: token,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).rules_changed).toMatchObject([
      {
        rule: 'token_env',
        effect: 'loosened',
        before: 'TRADEFORM_EU_TOKEN',
        after: 'TRADEFORM_NEW_TOKEN',
        location: { line: 1 },
      },
    ]);
  });

  it('shows an exchange of two confirmed tokens of one host in either environment; a pinned account refuses it', async () => {
    const git = gitIn(project.path);
    const swapped = (eu: string, us: string, account = {}) =>
      settings({
        environments: {
          eu: { ...here(), ...account, token_env: eu },
          us: { ...here(), token_env: us },
        },
      });
    const both = ['TRADEFORM_EU_TOKEN', 'TRADEFORM_US_TOKEN']
      .map((name) => `${name}=${originOf(project.baseUrl)}`)
      .join(',');
    const env = { TRADEFORM_CONFIRMED_HOSTS: both, TRADEFORM_US_TOKEN: token };
    const rules = async (environment: string, base: string) => {
      const { code, stdout } = await run((io) => runPlan({ base, environment, output: 'json' }, io), env);
      return [code, stdout === '' ? undefined : JSON.parse(stdout).rules_changed];
    };
    git('init', '-q');
    const pin = { account: { login_username: 'somebody' } };
    swapped('TRADEFORM_EU_TOKEN', 'TRADEFORM_US_TOKEN');
    git('add', '.');
    git('commit', '-qm', 'one');
    swapped('TRADEFORM_US_TOKEN', 'TRADEFORM_EU_TOKEN');
    const loosened = { rule: 'token_env', effect: 'loosened' };
    for (const [environment, before, after] of [
      ['eu', 'TRADEFORM_EU_TOKEN', 'TRADEFORM_US_TOKEN'],
      ['us', 'TRADEFORM_US_TOKEN', 'TRADEFORM_EU_TOKEN'],
    ] as const)
      expect(await rules(environment, 'HEAD')).toMatchObject([0, [{ ...loosened, before, after }]]);
    swapped('TRADEFORM_US_TOKEN', 'TRADEFORM_EU_TOKEN', pin);
    const refused = await run((io) => runPlan({ environment: 'eu' }, io), env);
    expect([refused.code, refused.diagnostics[0]?.code]).toEqual([4, 'account-mismatch']);
  });

  it('a link to the file of another token counts as that file', async () => {
    const [eu, us] = ['eu.token', 'us.token'].map((name) => join(home, name));
    writeFileSync(String(eu), token);
    writeFileSync(String(us), OTHER);
    settings({ base_url: project.baseUrl, token_file: eu });
    const hosts = { TRADEFORM_CONFIRMED_HOSTS: `${eu}=${originOf(project.baseUrl)}` };
    expect((await plan(hosts)).code).toBe(0);
    rmSync(String(eu));
    symlinkSync(String(us), String(eu));
    await expectRefused(plan(hosts));
  });

  it('a token file that a change can bring is not confirmed, by any word', async () => {
    gitIn(project.path)('init', '-q');
    project.write('eu.token', token);
    settings({ base_url: project.baseUrl, token_file: 'eu.token' });
    const place = join(project.path, 'eu.token');
    await expectRefused(plan({ TRADEFORM_CONFIRMED_HOSTS: `${place}=${originOf(project.baseUrl)}` }));
    await expectRefused(plan({ TRADEFORM_CONFIRMED_HOSTS: `*=${originOf(project.baseUrl)}` }));
  });

  it('no manifest takes the token of another environment', async () => {
    settings(here());
    project.write(
      'manifests/note.yaml',
      sniper({ name: 'note', wallet: WALLETS[1] }).replace(
        'spec:',
        'spec:\n  remark: $' + '{env.TRADEFORM_US_TOKEN}',
      ),
    );
    const { code, diagnostics } = await plan(confirmed());
    expect([code, diagnostics.map((one) => one.code)]).toEqual([3, ['env-not-here']]);
    expect([elsewhere.asked, project.sandbox.log.filter(({ method }) => method !== 'GET')]).toEqual([[], []]);
  });

  it('an option that names a host does not confirm the token in the project file', async () => {
    settings(here());
    await expectRefused(run((io) => runPlan({ baseUrl: elsewhere.baseUrl }, io), confirmed()));
    await expectRefused(plan({ ...confirmed(), TRADEFORM_BASE_URL: elsewhere.baseUrl }));
  });

  it('answers that lie in the repository confirm nothing, by a link either', async () => {
    settings(here());
    const answer = `TRADEFORM_EU_TOKEN=${originOf(project.baseUrl)}\n`;
    gitIn(project.path)('init', '-q');
    project.write('.config/tradeform/confirmed-hosts', answer);
    await expectRefused(plan({ HOME: project.path }));
    await expectRefused(plan({ XDG_CONFIG_HOME: join(project.path, '.config') }));
    symlinkSync(join(project.path, '.config'), join(home, '.config'));
    await expectRefused(plan({ HOME: home }));
  });
});

describe('the first run on a terminal', () => {
  const questions: string[] = [];
  const person = (answer: string): Partial<Io> => ({
    stdinIsTTY: true,
    stderrIsTTY: true,
    ask: async (question) => {
      questions.push(question);
      return answer;
    },
  });
  beforeEach(() => questions.splice(0));

  it('asks for this token and this host, stores a yes readable only for the user, and asks again for anything else', async () => {
    settings(here());
    await expectRefused(plan({ HOME: home }, person('y')));
    expect((await plan({ HOME: home }, person('yes'))).code).toBe(0);
    const question = `The project file sends the token from TRADEFORM_EU_TOKEN to ${originOf(project.baseUrl)}. Is this the right host? Only "yes" is accepted: `;
    expect(questions).toEqual([question, question]);
    const file = join(home, '.config/tradeform/confirmed-hosts');
    expect(readFileSync(file, 'utf8')).toBe(`TRADEFORM_EU_TOKEN=${originOf(project.baseUrl)}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Also where nobody can be asked, and also for pause, which asks nothing.
    expect((await plan({ HOME: home })).code).toBe(0);
    expect(questions).toHaveLength(2);
    settings({ ...here(), token_env: 'TRADEFORM_US_TOKEN' });
    await expectRefused(plan({ HOME: home }, person('no')));
    settings({ ...here(), base_url: elsewhere.baseUrl });
    await expectRefused(plan({ HOME: home }, person('')));
    expect(questions).toHaveLength(4);
  });

  it('an answer that others can write does not count', async () => {
    settings(here());
    await plan({ HOME: home }, person('yes'));
    const file = join(home, '.config/tradeform/confirmed-hosts');
    chmodSync(file, 0o666);
    await expectRefused(plan({ HOME: home }));
  });
});

describe('the project file', () => {
  it('a token from an option or the environment overrides it', async () => {
    settings({ base_url: project.baseUrl, token_env: 'TRADEFORM_NOTHING' });
    expect((await plan({ TRADEFORM_TOKEN: token })).code).toBe(0);
  });

  it('two places for one token, one place for two environments, and a place beside environments are refused', async () => {
    const codes = async (spec: object) => {
      settings(spec);
      const { code, diagnostics } = await plan(confirmed());
      return [code, diagnostics.map((one) => one.code)];
    };
    expect(await codes({ ...here(), token_file: 'x' })).toEqual([3, ['invalid-value']]);
    expect(await codes({ environments: { a: here(), b: here() } })).toEqual([
      3,
      ['environment-ambiguous', 'account-shared'],
    ]);
    expect(await codes({ token_env: 'TRADEFORM_X', environments: { a: {} } })).toEqual([
      3,
      ['invalid-value'],
    ]);
    expect(await codes({ ...here(), token_env: 'TRADEFORM_A B' })).toEqual([3, ['invalid-value']]);
  });

  it('an empty variable is named', async () => {
    settings(here());
    const { code, diagnostics } = await plan({ ...confirmed(), TRADEFORM_EU_TOKEN: '' });
    expect([code, diagnostics[0]?.code]).toEqual([3, 'token-missing']);
    expect(diagnostics[0]?.message).toContain('TRADEFORM_EU_TOKEN');
  });

  it('pause --all-environments takes the token from there, and asks nobody', async () => {
    const us = { base_url: elsewhere.baseUrl, token_env: 'TRADEFORM_US_TOKEN' };
    settings({ environments: { eu: here(), us } });
    const { code, stdout } = await run(
      (io) => runPauseEnvironments([], { all: true, output: 'json' }, io),
      confirmed(),
    );
    const ends = JSON.parse(stdout).units as { exit_code: number; diagnostics: { code: string }[] }[];
    expect([code, elsewhere.asked]).toEqual([4, []]);
    expect(ends.map(({ exit_code, diagnostics }) => [exit_code, diagnostics[0]?.code ?? null])).toEqual([
      [4, 'token-unconfirmed'],
      [0, null],
    ]);
  });
});
