import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { runExport } from '../../src/commands/export.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { startServer } from '../../src/sandbox/server.ts';
import { configFor, uuid, wallet } from '../support/builders.ts';
import { runInMemory } from './in-memory.ts';

it('x', async () => {
  const root = mkdtempSync(join(tmpdir(), 'zz-'));
  const t = (i: number, over: object) => ({ kind: 'copy-trade' as const, id: uuid(i), target_wallet: wallet(i), config: configFor('copy-trade'), ...over });
  const sandbox = createSandbox({ seed: { accounts: [{ login_username: 'w', labels: [{ name: 'steady', sort_order: 2 }, {name:'High risk', sort_order: 1}],
    tasks: [t(1, { remark: 'W [git:other/whale-7@0]', is_active: true, label: 'steady' }), t(2, { remark: 'W [git:other/whale-8@0]', is_active: true, label: 'High risk' }), t(3, { remark: 'x [git:core/mine@0]', is_active: true, label: 'High risk' }),] }] } });
  const server = await startServer(sandbox);
  const env = { TRADEFORM_BASE_URL: server.baseUrl, TRADEFORM_TOKEN: sandbox.tokens()[0]?.token ?? '' };
  writeFileSync(join(root, 'tradeform.yaml'), 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\n');
  mkdirSync(join(root, 'manifests'));
  writeFileSync(join(root, 'manifests/l.yaml'), 'apiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: steady\nspec:\n  name: steady\n  sort_order: 2\n---\napiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: risky\nspec:\n  name: High risk\n  sort_order: 2\n');
  for (const o of [{}, { out: '.' }]) for (const n of [['copy-trade/whale-7'], ['copy-trade/whale-8'], ['copy-trade/mine']]) {
    const r = await runInMemory({ cwd: root, env }, (io) => runExport(n, o, io));
    console.log(JSON.stringify(o), n, r.code, r.stdout, r.stderr);
  }
  await server.close();
});
