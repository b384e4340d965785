import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT, type Served, serve, tradeform } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradeform-quickstart-'));
let service: Served;

beforeAll(async () => {
  cpSync(join(ROOT, 'examples', 'quickstart'), folder, { recursive: true });
  service = await serve(folder);
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('is applied to an empty account, and a second plan is empty and only reads', async () => {
  const applied = await tradeform(
    ['apply', '--auto-approve', '--first-apply', '-o', 'json'],
    folder,
    service.env,
  );
  expect(applied.code, applied.stderr).toBe(0);
  const report = JSON.parse(applied.stdout);
  expect(report.outcome).toBe('done');

  const before = (await service.requests()).length;
  const planned = await tradeform(['plan', '--detailed-exitcode', '-o', 'json'], folder, service.env);
  expect(planned.code, planned.stderr).toBe(0);
  const plan = JSON.parse(planned.stdout);
  expect(plan.operations).toEqual([]);
  expect(plan.summary).toMatchObject({ held: 0, blocked: 0, unmanaged: 0, foreign: 0 });
  const requests = (await service.requests()).slice(before);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

it('covers all six collections with at least twelve tasks, and every switch', async () => {
  const { stdout } = await tradeform(['plan', '-o', 'json'], folder, service.env);
  const { changes, summary } = JSON.parse(stdout);
  expect(changes).toEqual([]);
  expect(summary.unchanged).toBeGreaterThanOrEqual(12 + 3 + 3);
  const { manifests } = JSON.parse((await tradeform(['validate', '-o', 'json'], folder)).stdout);
  expect(Object.keys(manifests).sort()).toEqual([
    'CopyTradeTask',
    'CopyTradeTemplate',
    'Label',
    'SniperTask',
    'SniperTemplate',
    'TransferSnipeTask',
  ]);
  expect(manifests.SniperTask + manifests.CopyTradeTask + manifests.TransferSnipeTask).toBeGreaterThanOrEqual(
    12,
  );
});
