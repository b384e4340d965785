import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writtenManifest, writtenRemovals } from '../../src/core/desired/as-manifest.ts';
import { compile, inOne } from '../../src/core/desired/compile.ts';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import { readProjectSettings } from '../../src/core/desired/project.ts';
import { Source } from '../../src/core/manifest/source.ts';
import { readProject } from '../../src/core/project/project.ts';
import { manifestsYaml } from '../../src/core/render/manifest-yaml.ts';
import { ROOT } from './program.ts';

const EXAMPLES = join(ROOT, 'examples');
const PROJECTS = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('tradeform.yaml'))
  .map((name) => dirname(name))
  .sort();

/** The environment variables that a project refers to, with values that fit where they stand. */
function environmentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { encoding: 'utf8' });
  const text = files.includes('.env.example') ? readFileSync(join(folder, '.env.example'), 'utf8') : '';
  return Object.fromEntries(
    [...text.matchAll(/^(?:export )?(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
}

describe.each(PROJECTS)('%s', (project) => {
  const folder = join(EXAMPLES, project);
  const text = readFileSync(join(folder, 'tradeform.yaml'), 'utf8');
  const { spec } = parse(text) as { spec?: { environments?: object } };
  const environments = Object.keys(spec?.environments ?? { only: {} });

  it.each(environments)(
    'rendered for %s it is a project of its own with the same desired state',
    async (name) => {
      const environment = spec?.environments === undefined ? undefined : name;
      const { state, diagnostics } = await readProject({
        cwd: folder,
        environment,
        env: environmentOf(folder),
      });
      if (state === undefined) throw new Error(JSON.stringify(diagnostics));
      const { tasks, templates, labels, removals } = state;
      const yaml = manifestsYaml([
        ...[...tasks, ...templates, ...labels].map((resource) => ({ manifest: writtenManifest(resource) })),
        ...writtenRemovals(removals).map(({ manifest }) => ({ manifest })),
      ]);
      const { settings } = readProjectSettings(new Source('tradeform.yaml', text), environment);
      if (settings === undefined) throw new Error('no settings');
      const again = inOne(compile({ settings, sources: [new Source('all.yaml', yaml)], allRead: true }));
      const secret = [...tasks, ...templates].some(({ secrets }) => secrets !== undefined);
      if (secret) {
        expect(yaml).toContain('(secret)');
        expect(again.state).toBeUndefined();
      } else {
        expect(again.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
        expect(again.state && manifestsDigest(again.state)).toBe(manifestsDigest(state));
      }
    },
  );
});
