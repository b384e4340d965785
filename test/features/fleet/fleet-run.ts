import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'vitest';
import schema from '../../../schemas/fleet-report.schema.json' with { type: 'json' };
import type { Io } from '../../../src/core/command/io.ts';
import type { FleetReport, FleetUnit } from '../../../src/core/model/generated/fleet-report.ts';
import type { Seed } from '../../../src/core/model/generated/sandbox.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startServer } from '../../../src/sandbox/server.ts';
import { projectFiles } from '../../cmd/run.ts';
import { afterwards, temporaryFolder } from '../../support/cleanup.ts';
import { onRequest } from '../../support/requests.ts';
import { type Result, runInMemory } from '../in-memory.ts';

export interface FleetRun {
  readonly path: string;
  readonly baseUrl: string;
  readonly sandbox: Sandbox;
  write(name: string, text: string): void;
  /** Called before a request is served. */
  onRequest(
    hear: (request: { readonly method: string; readonly path: string; readonly token: string }) => void,
  ): void;
  /** What an account holds: its tasks as they would trade, without ids, versions and times. */
  tasksOf(number: number): readonly object[];
  /** Any command in the folder of the fleet file, with the variables of all tokens. */
  run(command: (io: Io) => Promise<number>, more?: Partial<Io>): Promise<Result>;
}

/** A secret that stands nowhere but where it was put. */
export function canary(index: number): string {
  return `svc_live_0ca9a2${String(index).padStart(2, '0')}.canary-of-${index}-4f8b1d`;
}

/** `acc-1` … each a project with a label and a running task, on an account and a token of its own of one sandbox. */
export async function openFleetRun(
  many: number,
  { accounts, units = '' }: { readonly accounts?: Seed['accounts']; readonly units?: string } = {},
): Promise<FleetRun> {
  const path = temporaryFolder('fleet');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  const numbers = Array.from({ length: many }, (_item, index) => index + 1);
  for (const number of numbers) {
    const files = Object.entries(projectFiles({ buy: `0.${number}` }));
    for (const [name, text] of files) write(`accounts/acc-${number}/${name}`, text);
  }
  const seed = numbers.map((number) => ({
    id: `account-${number}`,
    login_username: `whales-${number}`,
    tokens: [{ token: canary(number) }],
    ...accounts?.[number - 1],
  }));
  const sandbox = createSandbox({ seed: { accounts: seed } });
  let heard: Parameters<FleetRun['onRequest']>[0] = () => undefined;
  onRequest(sandbox, ({ method, path, headers }) => {
    const token = /svc_live_\w{8}/.exec(headers.authorization ?? '')?.[0] ?? '';
    heard({ method, path, token });
  });
  const server = await startServer(sandbox);
  afterwards(() => server.close());
  write(
    'fleet.yaml',
    `apiVersion: tradeform/v1
kind: Fleet
metadata: { name: desk }
spec:
  base_url: ${server.baseUrl}
  units:
    - { project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }
${units}`,
  );
  const tokens = Object.fromEntries(
    numbers.map((number) => [`TRADEFORM_TOKEN_ACC_${number}`, canary(number)]),
  );
  const env = { PATH: process.env.PATH, ...tokens };
  return {
    path,
    baseUrl: server.baseUrl,
    sandbox,
    write,
    onRequest(hear) {
      heard = hear;
    },
    tasksOf: (number) =>
      [...sandbox.state.tasks.values()]
        .filter(({ account }) => account === `account-${number}`)
        .map(({ collection, remark, is_active, target_wallet, config }) => ({
          collection,
          remark,
          is_active,
          target_wallet,
          config,
        })),
    run: (command, more = {}) =>
      runInMemory({ cwd: path, env }, (io) => command({ ...io, ...more, env: { ...env, ...more.env } })),
  };
}

const isReport = new Ajv({ allErrors: true, strict: false, formats: { 'date-time': true } }).compile(schema);

/** The one document, which is as its schema says. */
export function reportOf({ stdout, stderr, diagnostics }: Result): FleetReport {
  if (stdout === '') throw new Error(`no report: ${JSON.stringify(diagnostics)} ${stderr}`);
  const report: unknown = JSON.parse(stdout);
  expect(isReport(report), JSON.stringify(isReport.errors)).toBe(true);
  return report as FleetReport;
}

export function unitOf(report: FleetReport, name: string): FleetUnit {
  const unit = report.units.find((one) => one.name === name);
  if (unit === undefined) throw new Error(`no unit ${name}`);
  return unit;
}
