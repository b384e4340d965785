// Bundles the executable and the library into dist/.
//
// The program and the library share their chunks (dist/chunks/), so that a command loads only what it runs, in few files: each
// file costs a quarter of a millisecond. The chunks are CommonJS, which Node starts faster than ES modules. Users start
// dist/tradeform.cjs: it runs on every Node, reports a Node that is too old, and loads the program.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import * as esbuild from 'esbuild';
import { build } from 'vite';

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
// For an older target, esbuild writes a pattern with \p outside brackets as `new RegExp`. V8 would check a literal when it loads
// the file, which takes part of a millisecond.
const target = 'node20.18';
/** Null where nothing says which commit is built, or its files were changed. In an image, the build is told. */
const commit = process.env.SOURCE_COMMIT || committed();
const define = {
  TRADEFORM_COMMIT: JSON.stringify(commit),
  TRADEFORM_VERSION: JSON.stringify(manifest.version),
  TRADEFORM_NODE: JSON.stringify(manifest.engines.node.replace('>=', '')),
};
const text = { charset: 'ascii', legalComments: 'none' };

function committed() {
  const git = (...args) => spawnSync('git', args, { encoding: 'utf8' });
  const { status, stdout } = existsSync('.git') ? git('status', '--porcelain') : {};
  return status === 0 && stdout === '' ? git('rev-parse', 'HEAD').stdout.trim() : null;
}

/** Each folder gets a copy of the validators with only those that it uses, because all together are most of the bytes. */
const validatorsByUse = {
  name: 'validators-by-use',
  enforce: 'pre',
  resolveId: (id, from) =>
    id.endsWith('/generated/validators.js') ? `${resolve(from, '..', id)}?${basename(dirname(from))}` : null,
};

/**
 * undici loads all of its parts, and two thirds of that time are for parts that tradeform does not use. A stub that answers to
 * every name replaces them. A part with another name is bundled like any other code.
 */
const UNUSED = /^\.\/(?:lib\/(?:api|cache|interceptor|mock|web)|client-h2)\b/;
const withoutUnused = {
  name: 'without-unused',
  enforce: 'pre',
  resolveId: (id, from) => (UNUSED.test(id) && /\/undici\//.test(from) ? 'unused.cjs' : null),
  load: (id) =>
    id === 'unused.cjs' ? 'module.exports = new Proxy(function () {}, { get: () => function () {} });' : null,
};

/**
 * Rollup takes a parameter for a constant if all calls that it sees pass the same value, and overlooks calls of a function that a
 * dynamic import gives. In a sequence it does not look into a dynamic import, and then assumes nothing about what is exported.
 */
const openImports = {
  name: 'open-imports',
  transform: (code, id) =>
    /\/(?:src|cmd)\/.*\.ts$/.test(id)
      ? { code: code.replace(/\bimport\(([^)]*)\)/g, '(0, import($1))'), map: null }
      : null,
};

const { output } = await build({
  configFile: false,
  logLevel: 'error',
  define,
  esbuild: text,
  plugins: [validatorsByUse, withoutUnused, openImports],
  ssr: { noExternal: true },
  build: {
    ssr: true,
    target,
    minify: 'esbuild',
    copyPublicDir: false,
    emptyOutDir: false,
    // Packages with circular imports keep Node's order. Automatic detection would find another order in each build. Node modules
    // are loaded where a package uses them, because not every Node has all of them.
    commonjsOptions: {
      strictRequires: ['**/node_modules/{undici,yaml}/**'],
      ignore: (id) => id.startsWith('node:'),
    },
    rollupOptions: {
      input: { main: 'cmd/main.ts', index: 'src/index.ts' },
      external: /^node:/,
      preserveEntrySignatures: 'allow-extension',
      output: {
        format: 'cjs',
        exports: 'named',
        dynamicImportInCjs: false,
        compact: true,
        experimentalMinChunkSize: 30_000,
        entryFileNames: '[name].cjs',
        chunkFileNames: 'chunks/[name].cjs',
      },
    },
  },
});
const { exports } = output.find(({ fileName }) => fileName === 'index.cjs');
await writeFile('dist/index.js', `export{${exports}}from'./index.cjs';\n`);

await esbuild.build({
  bundle: true,
  outdir: 'dist',
  platform: 'node',
  define,
  minify: true,
  logLevel: 'warning',
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  ...text,
  entryPoints: { tradeform: 'cmd/tradeform.ts' },
  plugins: [
    {
      name: 'main-beside',
      setup: ({ onResolve }) =>
        onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: './main.cjs', external: true })),
    },
  ],
  banner: { js: '#!/usr/bin/env node' },
  // Old versions of Node must be able to read it.
  target: 'node10',
});
await chmod('dist/tradeform.cjs', 0o755);

// Declarations are made for the package alone, and of sources that may be gone.
await rm('dist/types', { recursive: true, force: true });
const written = ['tradeform.cjs', 'index.js', ...output.map(({ fileName }) => fileName)];
for (const name of await readdir('dist', { recursive: true }))
  if (/js$/.test(name) && !written.map(normalize).includes(name)) await rm(join('dist', name));

const validators = await readFile('src/core/model/generated/validators.js', 'utf8');
const inputs = [
  ...output.flatMap(({ moduleIds = [] }) => moduleIds),
  ...(/^\/\/ Bundles: (.*)$/m.exec(validators)?.[1] ?? '').split(' '),
];
const packages = await packagesOf(inputs);
await writeFile('dist/THIRD_PARTY_LICENSES.txt', licences(packages));
await writeFile('dist/sbom.cdx.json', `${JSON.stringify(sbom(packages), null, 2)}\n`);

/** Every package that went into the bundle: its description of itself, its licence text, and its checksum in the lockfile. */
async function packagesOf(files) {
  const locked = JSON.parse(await readFile('package-lock.json', 'utf8')).packages;
  const folders = new Set(
    files.flatMap(
      (file) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
    ),
  );
  return Promise.all(
    [...folders].sort().map(async (folder) => {
      const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
      const text = file === undefined ? '(no licence file)' : await readFile(join(folder, file), 'utf8');
      const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
      return { name, version, license, text: text.trim(), integrity: locked[folder].integrity };
    }),
  );
}

/** The licence texts of the packages. */
function licences(bundled) {
  const notices = bundled.map(
    ({ name, version, license, text }) => `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`,
  );
  return `tradeform bundles the following packages.\n\n${notices.join('\n')}`;
}

/** A bill of materials in the form of CycloneDX, without a time and a serial number: each build writes the same. */
function sbom(bundled) {
  const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const component = (type, { name, version, license }, more) => {
    const purl = purlOf({ name, version });
    return { type, 'bom-ref': purl, name, version, licenses: [{ expression: license }], purl, ...more };
  };
  const vcs = manifest.repository.url.replace(/^git\+/, '');
  const components = bundled.map((one) => {
    const content = Buffer.from(one.integrity.replace('sha512-', ''), 'base64').toString('hex');
    return component('library', one, { hashes: [{ alg: 'SHA-512', content }] });
  });
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: component('application', manifest, { externalReferences: [{ type: 'vcs', url: vcs }] }),
    },
    components,
    dependencies: [{ ref: purlOf(manifest), dependsOn: components.map(({ purl }) => purl) }],
  };
}
