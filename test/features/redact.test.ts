import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { presentFailure } from '../../src/command/failure.ts';
import type { Io } from '../../src/command/io.ts';
import { runApply } from '../../src/features/apply.ts';
import { runPlan } from '../../src/features/plan.ts';
import { runRender } from '../../src/features/render/render.ts';
import { runValidate } from '../../src/features/validate.ts';
import type { SeedTask } from '../../src/model/generated/sandbox.ts';
import { FORMATS } from '../../src/render/formats/format.ts';
import { Masking } from '../../src/render/masking/masking.ts';
import { Redactor } from '../../src/render/masking/wallets.ts';
import { account, BAD, GOOD, GUARDED } from '../cmd/redact/fixture.ts';
import { allPlaces, canary, forgetPlaces, tracesIn } from '../cmd/redact/wallets.ts';
import { sniperConfig } from '../support/builders.ts';
import { testRepository } from '../support/repository.ts';
import { operate } from './operator/operate.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
beforeEach(async () => {
  project = await openProject({
    seed: { accounts: [{ tokens: [{ token: 'svc_live_0ca9a21e' }], ...account() }] },
  });
});

const OF_THE_FIXTURE = allPlaces();
afterAll(() => forgetPlaces(allPlaces().filter((place) => !OF_THE_FIXTURE.includes(place))));

function write(files: Readonly<Record<string, string>>): void {
  rmSync(join(project.path, 'manifests'), { recursive: true });
  for (const [file, text] of Object.entries(files)) project.write(file, text);
}

/**
 * Runs a command on a narrow terminal that does not look at what it prints: an address that was not replaced before the
 * text was laid out would be there in parts, as the terminal's own look would not find it.
 */
async function hidden(command: (io: Io) => Promise<number>) {
  const result = await project.run((io) =>
    command({ ...io, columns: 40, masking: new Masking(new Redactor()) }),
  );
  expect(tracesIn(result.stdout + result.stderr)).toEqual([]);
  return result;
}

const OUTPUTS = FORMATS;

it('validate shows names', async () => {
  write(GOOD);
  for (const output of OUTPUTS) expect((await hidden((io) => runValidate({ output }, io))).code).toBe(0);
  write(BAD);
  for (const output of OUTPUTS) expect((await hidden((io) => runValidate({ output }, io))).code).toBe(3);
});

it('the words of a failure contain names, in every format', async () => {
  write(BAD);
  const failure = await project.run((io) => runPlan({}, io));
  expect(tracesIn(JSON.stringify(failure.diagnostics))).not.toEqual([]);
  for (const output of OUTPUTS) {
    const { stdout, stderr } = await hidden(async (io) => {
      const { diagnostics } = failure;
      const removed = { address: `sniper/${canary('target_wallet')}`, actions: [], differences: [] };
      const details = { difference: { subject: [], gone: [removed], added: [], different: [] } };
      const ending = { exitCode: 3 as const, diagnostics, sources: new Map(), details };
      await presentFailure(ending, { command: 'plan', output, printed: false, taken: [] }, io);
      return 3;
    });
    expect(stdout + stderr).toContain('wallet-');
  }
});

it('a plan has the address of a wallet and its name beside it, if addresses may be shown', async () => {
  write(GOOD);
  const { stdout } = await project.run((io) => runPlan({}, io));
  expect(stdout).toMatch(/\+ [1-9A-HJ-NP-Za-km-z]{44} \(yankee, linked_wallets\)/);
});

it('render shows names', async () => {
  write(GOOD);
  for (const output of ['text', 'json']) {
    const { stdout } = await hidden((io) => runRender([], { output }, io));
    expect(stdout).toContain('whale-7');
  }
});

it('render --diff shows names, those of the working tree', async () => {
  const repository = testRepository();
  const was = canary('wallet of an earlier commit');
  repository.write('tradeform.yaml', GOOD['tradeform.yaml'] ?? '');
  for (const [file, text] of Object.entries(GOOD)) repository.write(file, text);
  repository.write(
    'manifests/a.yaml',
    (GOOD['manifests/a.yaml'] ?? '').replace(canary('target_wallet'), was),
  );
  repository.commit();
  for (const [file, text] of Object.entries(GOOD)) repository.write(file, text);
  for (const output of ['text', 'json']) {
    const { stdout } = await hidden((io) =>
      runRender([], { output, diff: 'HEAD' }, { ...io, cwd: repository.path }),
    );
    // Warnings of the project have two others.
    expect(stdout).toMatch(/wallet-4[\s\S]*wallet-5/);
  }
});

it('plan shows names, refused or not', async () => {
  write(GOOD);
  for (const output of OUTPUTS) expect((await hidden((io) => runPlan({ output }, io))).code).toBe(0);
  write(GUARDED);
  for (const output of OUTPUTS) expect((await hidden((io) => runPlan({ output }, io))).code).toBe(4);
});

it('apply shows names, and does what the manifests say', async () => {
  write(GOOD);
  const refuse = { type: 'status', status: 422, body: refusal() } as const;
  project.sandbox.faults.add({ method: 'DELETE', times: 0, fault: refuse });
  project.sandbox.faults.add({ method: 'PATCH', times: 0, fault: refuse });
  const failed = await hidden((io) => runApply(undefined, { autoApprove: true, verbose: true }, io));
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('validation_error');
  project.sandbox.faults.clear();
  const plan = await hidden((io) => runPlan({ output: 'json' }, io));
  const { digest } = JSON.parse(plan.stdout) as { digest: string };
  const json = await hidden((io) =>
    runApply(undefined, { autoApprove: true, expect: [digest], output: 'json' }, io),
  );
  expect(json).toMatchObject({ code: 0, diagnostics: [] });
  const wallets = project.tasks().map(({ target_wallet }) => target_wallet);
  expect(wallets).toContain(canary('target_wallet'));
  expect(wallets).not.toContain(canary('live target'));
});

it.each(['pause', 'resume', 'release'] as const)(
  '%s knows the wallets of the tasks: a part of one in a remark is found',
  async (command) => {
    const task = (name: string, mark: string, is_active: boolean): SeedTask => {
      const target_wallet = canary(`target of ${name}`);
      const remark = `Like ${target_wallet.slice(9, 21)} [git:core/${name}${mark}]`;
      return { kind: 'sniper', config: sniperConfig(), target_wallet, remark, is_active };
    };
    const tasks = [task('runs', '@0', true), task('rests', '@!', false)];
    const other = await openProject({ seed: { accounts: [{ tasks }] } });
    const [, rests] = other.tasks();
    const names = command === 'pause' ? ['sniper/runs'] : [rests?.id ?? ''];
    const operator = operate(other, { io: { masking: new Masking(new Redactor()) } });
    const { code, stdout, stderr } = await operator[command](names, { dryRun: true, output: 'json' });
    const said = command === 'release' ? 'Like wallet-' : '(secret)';
    expect({ code, said: stdout }).toEqual({ code: 0, said: expect.stringContaining(said) });
    expect(tracesIn(stdout + stderr)).toEqual([]);
  },
);

/** What is known of the account or the manifests is found in a word of any length. */
function refusal(): string {
  const glued = ['unmanaged', 'note of a wallet'].map((place) => 'x'.repeat(60) + canary(place));
  const message = `no ${canary('message of a service')} ${glued.join(' ')}`;
  return JSON.stringify({ error: { code: 'validation_error', message }, request_id: 'r' });
}
