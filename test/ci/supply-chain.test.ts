import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../examples/program.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { REPOSITORY, textOf } from './files.ts';

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

describe.each(['package-lock.json', 'site/package-lock.json'])('%s', (lockfile) => {
  const { packages } = JSON.parse(textOf(lockfile)) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  /** Without the repository itself. */
  const others = Object.entries(packages).filter(([path]) => path !== '');

  test('has a strong checksum of every package, whatever machine it is for', () => {
    expect(others.length).toBeGreaterThan(100);
    const without = others.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('names no source but the public registry', () => {
    // Without an address npm takes a package from the registry that it is set to, and the checksum says whether it is the one.
    const elsewhere = others.filter(
      ([, { resolved = 'https://registry.npmjs.org/', link }]) =>
        link === true || !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });

  test('no package with an install script needs it, and none runs: npm 12 warns about each of which nothing is said', () => {
    const { allowScripts } = JSON.parse(textOf('package.json'));
    // esbuild's only puts its program in place of a small script that starts it.
    expect(allowScripts).toEqual({ esbuild: false, fsevents: false });
    const scripts = others.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = scripts.map(([path]) => path.replace(/^(?:.*\/)?node_modules\//, ''));
    expect(names.filter((name) => !Object.hasOwn(allowScripts, name))).toEqual([]);
  });
});

/** All text that people and machines are given: what they copy, and what programs write. */
const TEXTS = ['Dockerfile', 'README.md', 'SECURITY.md', 'package.json']
  .concat(['docs', 'examples', 'src', 'cmd', 'schemas', '.ci'].flatMap(filesBelow))
  .map((path) => ({ path, text: textOf(path) }));

function filesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)).replaceAll('\\', '/'));
}

/** Each way of npm and its like to run a package that may not be installed; `npx --no -- NAME` is the one that never installs. */
const RUNS =
  /\b(?:npx|npm exec|npm x|pnpx|pnpm dlx|pnpm exec|yarn dlx|bunx)\b(?<given>[^\n`]*?)\btradeform\b/g;
const INSTALLS = /\bnpm (?:ci|i|install)\b[^\n&|]*/g;

function found(pattern: RegExp, isGood: (line: string) => boolean): readonly string[] {
  return TEXTS.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].filter(([line]) => !isGood(line)).map(([line]) => `${path}: ${line}`),
  );
}

test('the name of the organisation is written by hand in package.json alone', () => {
  const [organisation = ''] = REPOSITORY.split('/');
  const naming = TEXTS.filter(({ text }) => text.includes(organisation));
  expect(naming.map(({ path }) => path)).toEqual(['package.json']);
  expect(textOf('package.json').split(organisation)).toHaveLength(2);
});

test('the bill of materials has each package that is bundled, with the version and the checksum of the lockfile', () => {
  const bill = JSON.parse(textOf('dist/sbom.cdx.json')) as {
    readonly components: readonly Record<'name' | 'version' | 'purl', string>[];
  };
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    readonly packages: Readonly<Record<string, Locked & { readonly version: string }>>;
  };
  const licences = textOf('dist/THIRD_PARTY_LICENSES.txt').matchAll(/^-{80}\n(\S+) (\S+) \(/gm);
  expect(bill.components.map(({ name, version }) => [name, version])).toEqual(
    [...licences].map(([, name, version]) => [name, version]),
  );
  // A package that is bundled goes to every user: a new one is named here on purpose.
  const names = [
    '@scure/base',
    'ajv',
    'ajv-formats',
    'commander',
    'diff',
    'fast-deep-equal',
    'undici',
    'yaml',
  ];
  const expected = names.map((name) => {
    const { version, integrity = '' } = packages[`node_modules/${name}`] ?? expect.fail(name);
    const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
    return {
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      hashes: [{ alg: 'SHA-512', content }],
    };
  });
  expect(bill.components).toMatchObject(expected);
});

describe('every recipe', () => {
  test('never runs what somebody published under our name: it takes the installed tradeform, or none', () => {
    expect(TEXTS.some(({ text }) => text.includes('npx --no -- tradeform'))).toBe(true);
    expect(found(RUNS, (line) => line === 'npx --no -- tradeform')).toEqual([]);
  });

  test('npx with these words fails without an installed tradeform, and runs an installed one', () => {
    const folder = temporaryFolder('npx');
    writeFileSync(join(folder, 'package.json'), '{}');
    // No registry answers here: nothing could be installed by mistake, and nothing is asked outside.
    const env = {
      ...process.env,
      npm_config_registry: 'http://127.0.0.1:9/',
      npm_config_fetch_retries: '0',
    };
    const npx = (...args: readonly string[]) =>
      spawnSync('npx', args, { cwd: folder, env, encoding: 'utf8', shell: process.platform === 'win32' });
    expect(npx('--no', '--', 'tradeform', '--version').status).not.toBe(0);
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    symlinkSync(join(ROOT, 'dist/tradeform.cjs'), join(folder, 'node_modules/.bin/tradeform'));
    const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
    expect(npx('--no', '--', 'tradeform', '--version')).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    });
  });

  test('of CI installs by the lockfile, and runs no script of a package', () => {
    const ofCi = TEXTS.filter(({ path }) => /^(?:Dockerfile|examples\/ci\/.*)$/.test(path));
    const installs = ofCi.flatMap(({ path, text }) => {
      const code = text.replace(/^\s*#.*$|`[^`]*`/gm, '');
      return [...code.matchAll(INSTALLS)].map(([line]) => `${path}: ${line.trim()}`);
    });
    const others = installs.filter(
      (line) => !line.endsWith(': npm ci --ignore-scripts --no-audit --no-fund'),
    );
    expect(others).toEqual([
      'Dockerfile: npm ci --ignore-scripts --no-audit --no-fund \\',
      // The file that was packed above, which holds all that it needs.
      'Dockerfile: npm install --global --offline --ignore-scripts --no-audit --no-fund /tmp/tradeform-*.tgz \\',
    ]);
  });
});
