import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMATS } from '../../src/core/render/format.ts';
import { runExport } from '../../src/kit/export/export.ts';
import { PROJECT, sniper } from '../manifest/samples.ts';
import { configFor, uuid, wallet } from '../support/builders.ts';
import { openProject } from './project-run.ts';

/** The warnings and notes about files that are not read: where, and about which task. */
function passedOver(
  diagnostics: readonly { code: string; address?: string; location?: { file: string } | null }[],
) {
  return diagnostics
    .filter(({ code }) => code === 'file-passed-over')
    .map(({ address, location }) => [address, location?.file])
    .sort();
}

test('the plan names each file that describes a task which it deletes, wherever a commit moved it', async () => {
  const project = await openProject({ tasks: ['alpha', 'beta', 'gamma', 'delta', 'omega'] });
  const move = (name: string, to: string) =>
    renameSync(join(project.path, `manifests/${name}.yaml`), join(project.path, to));
  project.write('attic/.keep', '');
  move('beta', 'manifests/beta.yaml.bak');
  move('gamma', 'attic/gamma.yaml');
  move('delta', 'manifests/delta.yaml~');
  rmSync(join(project.path, 'manifests/omega.yaml'));
  // The copy of an editor, and a file that only mentions a name.
  project.write('manifests/alpha.yaml.bak', project.read('manifests/alpha.yaml'));
  project.write('notes.txt', 'apiVersion: tradeform/v1 omega');
  project.commit();
  const plan = await project.planned();
  expect(plan.summary.delete).toBe(4);
  expect(passedOver(plan.diagnostics)).toEqual([
    ['sniper/beta', 'manifests/beta.yaml.bak'],
    ['sniper/delta', 'manifests/delta.yaml~'],
    ['sniper/gamma', 'attic/gamma.yaml'],
  ]);
  expect((await project.plan({ output: 'markdown' })).stdout).toContain('attic/gamma.yaml');
});

test('validate names the file to which a manifest was moved, before and after the commit of that', async () => {
  const project = await openProject({ tasks: ['alpha', 'beta', 'gamma', 'omega'] });
  const named = async () =>
    passedOver(JSON.parse((await project.validate({ output: 'json' })).stdout).diagnostics);
  const path = (name: string) => join(project.path, name);
  project.write('attic/old.yaml', sniper({ name: 'old' }));
  project.write('manifests/alpha.yaml.bak', project.read('manifests/alpha.yaml'));
  project.commit();
  expect(await named()).toEqual([]);
  renameSync(path('manifests/beta.yaml'), path('manifests/beta.yaml.bak'));
  renameSync(path('manifests/gamma.yaml'), path('attic/gamma.yaml'));
  rmSync(path('manifests/omega.yaml'));
  const both = [
    ['sniper/beta', 'manifests/beta.yaml.bak'],
    ['sniper/gamma', 'attic/gamma.yaml'],
  ];
  expect(await named()).toEqual(both);
  project.commit();
  expect(await named()).toEqual(both);
  const { code, stderr } = await project.validate();
  expect([code, stderr]).toEqual([0, expect.stringContaining('attic/gamma.yaml describes sniper/gamma')]);
});

test('validate says what a sparse checkout lacks, and ends with 0', async () => {
  const project = await openProject({ tasks: ['alpha', 'beta'] });
  // git leaves a file whose times differ from its index, as in a project that was copied.
  project.git('update-index', '--refresh');
  project.git('sparse-checkout', 'set', '--no-cone', '/*', '!/manifests/beta.yaml');
  const { code, stderr } = await project.validate();
  expect(code).toBe(0);
  expect(stderr).toContain('warning[checkout-incomplete]');
  expect(stderr).toContain('manifests/beta.yaml');
  project.git('sparse-checkout', 'disable');
  expect((await project.validate()).stderr).toBe('');
});

test('a project file that is a link to itself is said to be one', async () => {
  const project = await openProject({ files: { 'manifests/a.yaml': sniper() } });
  symlinkSync('tradeform.yaml', join(project.path, 'tradeform.yaml'));
  const { code, stderr } = await project.validate();
  expect(code).toBe(3);
  expect(stderr).toContain('its symbolic links form a loop');
});

test('export writes no file with a name that Windows keeps for a device', async () => {
  const names = ['con', 'NUL', 'aux.', 'com1', 'console'];
  const tasks = names.map((remark, index) => ({
    ...({
      kind: 'sniper',
      id: uuid(index),
      remark,
      target_wallet: wallet(index),
      config: configFor('sniper'),
    } as const),
  }));
  const project = await openProject({
    files: { 'tradeform.yaml': PROJECT },
    seed: { accounts: [{ tasks }] },
  });
  const { code, stdout } = await project.run((io) => runExport([], { out: '.' }, io));
  expect(code).toBe(0);
  const files = [...stdout.matchAll(/manifests\/sniper\/(\S+)/g)].map(([, file]) => file).sort();
  expect(files).toEqual([
    'console.yaml',
    ...['aux', 'com1', 'con', 'nul'].map((name) => `sniper-${name}.yaml`),
  ]);
});

test.each([
  ['base58', '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofMxy'],
  ['hex', `0x${'a1b2'.repeat(16)}`],
  ['bytes', `[${Array.from({ length: 64 }, (_, index) => 173 + index)}]`],
])('a private key (%s) is named in every format, and shown in none', async (_, key) => {
  const places = ['target_wallet: ', 'buy_amount: ', 'state: ', 'name: '];
  for (const place of places) {
    const text = sniper().replace(new RegExp(`${place}.*`), `${place}${key}`);
    const project = await openProject({ files: { 'tradeform.yaml': PROJECT, 'manifests/a.yaml': text } });
    for (const output of FORMATS) {
      const { code, stdout, stderr } = await project.validate({ output });
      expect(code).toBe(3);
      expect(stdout + stderr, `${place}${output}`).not.toMatch(/4uQeVj5t|a1b2a1|\b(173|199)\b/);
      expect(stdout + stderr, `${place}${output}`).toContain('private-key');
    }
  }
});
