import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../../src/core/command/io.ts';
import { runApplyFleet } from '../../../src/kit/fleet/apply.ts';
import { runReading } from '../../../src/kit/fleet/commands.ts';
import type { FleetOptions } from '../../../src/kit/fleet/fleet.ts';
import { runPauseFleet } from '../../../src/kit/fleet/switch.ts';
import { temporaryFolder } from '../../support/cleanup.ts';
import { type Elsewhere, openElsewhere } from '../../support/elsewhere.ts';
import { gitIn } from '../../support/repository.ts';
import { canary, type FleetRun, openFleetRun, reportOf } from './fleet-run.ts';

/** A fleet file in a repository: where tokens come from and go to is bound by the operator, never by that file alone. */

let fleet: FleetRun;
let evil: Elsewhere;
/** Outside of the repository. */
let home: string;

beforeEach(async () => {
  evil = await openElsewhere();
  fleet = await openFleetRun(2);
  home = temporaryFolder('home');
  const git = gitIn(fleet.path);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
});

const write = (units: string, name = 'fleet.yaml') =>
  fleet.write(
    name,
    `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${fleet.baseUrl}", units: [${units}] }\n`,
  );
const here = () => new URL(fleet.baseUrl).origin;
type Run = (options: FleetOptions, io: Io) => Promise<number>;
const RUNS: readonly (readonly [string, Run])[] = [
  ...(['plan', 'drift', 'status'] as const).map((name): readonly [string, Run] => [
    name,
    (options, io) => runReading(name, options, io),
  ]),
  ['apply', (options, io) => runApplyFleet(undefined, { ...options, autoApprove: true }, io)],
  ['pause', (options, io) => runPauseFleet({ ...options, all: true }, io)],
];
const plan = RUNS[0]?.[1] ?? expect.fail();
const run = (
  env: Readonly<Record<string, string>> = {},
  options: FleetOptions = {},
  command: Run = plan,
  more: Partial<Io> = {},
) => fleet.run((io) => command({ output: 'json', quiet: true, ...options }, io), { ...more, env });

/** Nothing is sent to anybody, and each unit says why. */
async function expectRefused(result: ReturnType<typeof run>): Promise<void> {
  const before = fleet.sandbox.log.length;
  const report = reportOf(await result);
  for (const unit of report.units) {
    expect(unit.diagnostics.map(({ code }) => code)).toContain('token-unconfirmed');
    expect(unit.exit_code).toBe(4);
  }
  expect([evil.asked, fleet.sandbox.log.length - before]).toEqual([[], 0]);
}

describe('a token that only a fleet file in a repository sends to a host', () => {
  it.each(RUNS)('%s refuses it and sends nothing, with and without a base', async (name, command) => {
    for (const host of [fleet.baseUrl, evil.baseUrl]) {
      write(
        `{ project: accounts/acc-1, base_url: "${host}", token_env: TRADEFORM_TOKEN_ACC_1, project_name: core }`,
      );
      await expectRefused(run({}, {}, command));
      if (name === 'plan') await expectRefused(run({}, { base: 'HEAD' }, command));
    }
  });

  it('reads no token file that it names: absolute, by a link, or in the repository', async () => {
    writeFileSync(join(home, 'secret'), canary(1));
    fleet.write('inside.token', canary(1));
    symlinkSync(join(home, 'secret'), join(fleet.path, 'link.token'));
    for (const file of [join(home, 'secret'), 'link.token', 'inside.token']) {
      write(`{ project: accounts/acc-1, base_url: "${evil.baseUrl}", token_file: "${file}" }`);
      await expectRefused(run());
    }
    // A change could bring another token, so such a file is not confirmed either.
    write('{ project: accounts/acc-1, token_file: inside.token }');
    await expectRefused(
      run({ TRADEFORM_CONFIRMED_HOSTS: `${join(fleet.path, 'inside.token')}=${here()}\n*=${here()}` }),
    );
    write(`{ project: accounts/acc-1, token_file: "${join(home, 'secret')}" }`);
    const named = await run({ TRADEFORM_CONFIRMED_HOSTS: `${join(home, '*')}=${here()}` });
    expect(reportOf(named).units.map(({ exit_code }) => exit_code)).toEqual([0]);
  });

  it.each(['AWS_SECRET_ACCESS_KEY', 'TOKEN', 'HOME', '{NAME}', 'tradeform_token', 'X_TRADEFORM_TOKEN'])(
    'comes from no variable %s',
    async (name) => {
      write(`{ project: accounts/acc-1, token_env: "${name}" }`);
      const { code, diagnostics } = await run({
        [name]: canary(1),
        TRADEFORM_CONFIRMED_HOSTS: `*=${here()}`,
      });
      expect([code, diagnostics.map((one) => one.code)]).toEqual([3, ['invalid-value']]);
      expect(fleet.sandbox.log).toEqual([]);
    },
  );
});

describe('the operator’s word', () => {
  const exits = async (result: ReturnType<typeof run>) =>
    reportOf(await result).units.map(({ exit_code }) => exit_code);

  it('in the environment is for these tokens and this host alone', async () => {
    const one = `TRADEFORM_TOKEN_ACC_1=${here()}`;
    expect(await exits(run({ TRADEFORM_CONFIRMED_HOSTS: one }))).toEqual([4, 0]);
    expect(await exits(run({ TRADEFORM_CONFIRMED_HOSTS: `${one},TRADEFORM_TOKEN_ACC_2=${here()}` }))).toEqual(
      [0, 0],
    );
    expect(await exits(run({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${here()}` }))).toEqual([0, 0]);
    write(`{ project: "accounts/*", base_url: "${evil.baseUrl}", token_env: "TRADEFORM_TOKEN_{NAME}" }`);
    await expectRefused(run({ TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${here()}` }));
  });

  it('on a terminal is asked once for all tokens of a host, and kept outside of the repository', async () => {
    const questions: string[] = [];
    const person = (answer: string): Partial<Io> => ({
      stdinIsTTY: true,
      stderrIsTTY: true,
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
    });
    await expectRefused(run({ HOME: home }, {}, plan, person('no')));
    expect(await exits(run({ HOME: home }, {}, plan, person('yes')))).toEqual([0, 0]);
    expect(questions).toEqual(
      Array(2).fill(
        `The fleet file sends 2 tokens from TRADEFORM_TOKEN_ACC_1, TRADEFORM_TOKEN_ACC_2 to ${here()}. Is this the right host? Only "yes" is accepted: `,
      ),
    );
    expect(readFileSync(join(home, '.config/tradeform/confirmed-hosts'), 'utf8')).toContain(
      `TRADEFORM_TOKEN_ACC_2=${here()}`,
    );
    expect(await exits(run({ HOME: home }))).toEqual([0, 0]);
    write(`{ project: "accounts/*", base_url: "${evil.baseUrl}", token_env: "TRADEFORM_TOKEN_{NAME}" }`);
    await expectRefused(run({ HOME: home }));
  });

  it('is a fleet file outside of every repository, but not a link in one or to one', async () => {
    const accounts = `{ project: "${join(fleet.path, 'accounts')}/*", token_env: "TRADEFORM_TOKEN_{NAME}" }`;
    write(accounts, 'own.yaml');
    const own = join(home, 'own.yaml');
    renameSync(join(fleet.path, 'own.yaml'), own);
    expect(await exits(run({}, { fleet: own }))).toEqual([0, 0]);
    symlinkSync(own, join(fleet.path, 'link.yaml'));
    const linked = await run({}, { fleet: 'link.yaml' });
    expect([linked.code, linked.diagnostics[0]?.code]).toEqual([3, 'file-outside-project']);
    write(accounts);
    symlinkSync(join(fleet.path, 'fleet.yaml'), join(home, 'in.yaml'));
    await expectRefused(run({}, { fleet: join(home, 'in.yaml') }));
    mkdirSync(join(home, 'deep'));
    symlinkSync(fleet.path, join(home, 'deep/checkout'));
    await expectRefused(run({}, { fleet: join(home, 'deep/checkout/fleet.yaml') }));
  });
});
