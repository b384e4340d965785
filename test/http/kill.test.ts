import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import { tradeform } from '../cmd/run.ts';
import { configFor, walletOf } from '../support/builders.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { sampled } from '../support/sample.ts';
import { inPools } from './pool.ts';
import { killLeftovers, start } from './program.ts';
import { ACCOUNT, ONCE, problemsOf, referenceRepository } from './reference.ts';
import { planOf } from './repository.ts';
import { type Service, startService } from './service.ts';

const APPLY = ['apply', '--auto-approve', '-o', 'json', '--quiet'];
/** `GET /me` before and after six lists: nothing has been written yet. */
const READS = 8;

const repository = referenceRepository();
let services: readonly Service[];

beforeAll(async () => {
  services = [await startService(), await startService()];
});
afterAll(killLeftovers);

interface Case {
  /** The request at which the process is killed, counted from 0. */
  readonly at: number;
  readonly moment: 'before' | 'after';
}

async function cases(service: Service): Promise<readonly Case[]> {
  service.reset(ACCOUNT);
  const { code, stderr } = await tradeform(APPLY, { cwd: repository.path, env: service.env });
  expect(code, stderr).toBe(0);
  expect(problemsOf(service.sandbox)).toEqual([]);
  expect(service.writes, 'the reference apply has lost most of its operations').toBeGreaterThan(30);
  const all = Array.from({ length: service.requests }, (_, at) => at);
  // A dead process remembers nothing: killed after request n or before n + 1, the service stands the same. So every request
  // is the last one that was carried out once, and some are the first one that was not, in one of the other orders that
  // requests side by side come in.
  return [
    ...all.filter((at) => at >= READS).map((at): Case => ({ at, moment: 'after' })),
    ...all.filter((at) => at % 4 === 0).map((at): Case => ({ at, moment: 'before' })),
  ];
}

/** The file is whole at every moment. Whatever was written, the intent stands there. */
function expectRecord(journal: string, { writes }: Service, label: string): void {
  const files = readdirSync(journal).filter((name) => name.endsWith('.json'));
  expect(files.length, label).toBeLessThanOrEqual(1);
  if (writes > 0) expect(files, label).toHaveLength(1);
  for (const file of files) {
    const report = JSON.parse(readFileSync(join(journal, file), 'utf8')) as ApplyReport;
    expect(['begun', 'done'], label).toContain(report.outcome);
    expect(report.changes.length, label).toBeGreaterThan(10);
  }
}

async function killedAt({ at, moment }: Case, service: Service): Promise<void> {
  service.reset(ACCOUNT);
  const journal = temporaryFolder('journal');
  const { child, ended } = start([...APPLY, '--journal', journal], {
    cwd: repository.path,
    env: service.env,
  });
  const strike = (index: number) => {
    if (index !== at) return undefined;
    child.kill('SIGKILL');
    return 'hang' as const;
  };
  // What was on its way with it is still carried out.
  service.hooks = { [moment]: strike };
  const { signal } = await ended;
  await service.quiet();
  const label = `killed ${moment} request ${at} (${signal ?? 'which did not come'})`;
  expectRecord(journal, service, label);

  const once = service.sandbox.state.tasks.get(ONCE);
  // Without a mark, and dead before its patch, this one stays held: a start at most once matters more (DESIGN 3).
  const held = once?.is_active === false && once.config.buy_amount === '0.1' ? [ONCE] : [];
  service.hooks = {};
  const again = await tradeform(APPLY, { cwd: repository.path, env: service.env });
  expect(again.code, `${label}\n${again.stdout}${again.stderr}`).toBe(0);
  expect(problemsOf(service.sandbox, held), label).toEqual([]);
  const twice = [...service.starts].filter(([, times]) => times > 1).map(([id]) => id);
  expect(twice, `${label}: started twice`).toEqual([]);
  const next = await planOf(repository, service.sandbox);
  expect(
    next.operations.map(({ id, verb }) => `${id} ${verb}`),
    `${label}: the second plan`,
  ).toEqual([]);
}

describe('SIGKILL at every request of the reference apply', () => {
  it('converges with one more run: no duplicate, no second start, nothing left paused', {
    timeout: 300_000,
  }, async () => {
    const [service] = services;
    if (service === undefined) throw new Error('no service');
    const all = await cases(service);
    expect(all.length).toBeGreaterThan(45);
    await inPools(sampled(all, 9), services, killedAt);
  });
});

/** Clones with a label, in two kinds and with two wallets: with a preset and a wallet book, manifests refer to other files. */
const MANY = Array.from({ length: 6 }, (_, index) => {
  const kind = index % 2 === 0 ? ('sniper' as const) : ('copy-trade' as const);
  const target_wallet = walletOf(kind === 'sniper' ? `own ${index % 4}` : `copied ${index}`);
  return { kind, remark: `By hand ${index}`, label: 'Steady', target_wallet, config: configFor(kind) };
});

/** Loaded first: the signal comes at the file of this number, before it has its name. */
const DIES = `const fs = require('node:fs/promises');
const { rename } = fs;
let left = Number(process.env.DIES_AT);
fs.rename = (...files) => {
  if (left-- === 0) process.kill(process.pid, process.env.DIES_BY);
  return rename(...files);
};
`;

it.each([
  ['init', ['init', 'desk', '--from-live', '--ci', 'none', '--project-name', 'desk', '--presets']],
  ['export', ['export', '--out', 'desk', '--project-name', 'desk', '--presets']],
])('%s killed at each of its files leaves no project, and the same command ends it', async (_name, args) => {
  const [service] = services;
  if (service === undefined) throw new Error('no service');
  service.reset({ labels: [{ name: 'Steady', sort_order: 1 }], tasks: MANY });
  const cwd = temporaryFolder('killed-import');
  writeFileSync(join(cwd, 'dies.cjs'), DIES);
  const { env } = service;
  const NODE_OPTIONS = `--require ${join(cwd, 'dies.cjs')}`;
  const dies = (number: number, by: NodeJS.Signals) =>
    start(args, { cwd, env: { ...env, NODE_OPTIONS, DIES_AT: String(number), DIES_BY: by } }).ended;
  const stopped = await dies(5, 'SIGINT');
  expect([stopped.code, existsSync(join(cwd, 'desk/tradeform.yaml'))]).toEqual([130, false]);
  expect(stopped.stderr.replace(/\s+/g, ' ')).toMatch(
    /interrupted; \d of \d+ files are written: run the command again/,
  );
  let at = 0;
  for (; !existsSync(join(cwd, 'desk/tradeform.yaml')); at += 1) {
    const { code, signal, stderr } = await dies(at, 'SIGKILL');
    const whole = existsSync(join(cwd, 'desk/tradeform.yaml'));
    expect([at, code, signal], stderr).toEqual([at, whole ? 0 : null, whole ? null : 'SIGKILL']);
  }
  expect(at).toBeGreaterThan(MANY.length);
  const plan = await tradeform(['plan', '-o', 'json', '-q'], { cwd: join(cwd, 'desk'), env });
  const { summary } = JSON.parse(plan.stdout) as { summary: unknown };
  expect(summary).toMatchObject({ adopt: MANY.length, delete: 0 });
  const left = readdirSync(join(cwd, 'desk'), { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
});
