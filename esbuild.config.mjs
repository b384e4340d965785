// Bundles the executable, the library and what action.yml runs into dist/.
//
// The program and the library share their chunks (dist/chunks/), so that a command loads only what it runs. They are CommonJS:
// Node starts it faster than ES modules. esbuild reads TypeScript, JSON and CommonJS packages; Rollup then puts into one file
// what is always loaded together, for each file costs a quarter of a millisecond. dist/tradeform.cjs is what users start: it
// runs on every Node, says so where one is too old, and loads the program.
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, normalize, resolve } from 'node:path';
import { build } from 'esbuild';
import { rollup } from 'rollup';

const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const options = {
  bundle: true,
  outdir: 'dist',
  platform: 'node',
  target: 'node20.18',
  minify: true,
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  define: {
    TRADEFORM_VERSION: JSON.stringify(manifest.version),
    TRADEFORM_NODE: JSON.stringify(manifest.engines.node.replace('>=', '')),
  },
};
const commonJs = { ...options, format: 'cjs', outExtension: { '.js': '.cjs' } };

/** Each folder gets a copy of the validators that holds only what it uses: together they are most of the bytes. */
const validatorsByUse = {
  name: 'validators-by-use',
  setup(bundler) {
    bundler.onResolve({ filter: /\/generated\/validators\.js$/ }, ({ resolveDir, path }) => ({
      path: join(resolveDir, path),
      suffix: `?${basename(resolveDir)}`,
    }));
  },
};

const mainBeside = {
  name: 'main-beside',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: './main.cjs', external: true }));
  },
};

const program = await build({
  ...options,
  entryPoints: { main: 'cmd/main.ts', index: 'src/index.ts' },
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  plugins: [validatorsByUse],
  write: false,
});
const modules = new Map(program.outputFiles.map(({ path, text }) => [path, text]));
const inMemory = {
  name: 'in-memory',
  resolveId: (id, importer = '') => {
    const path = resolve(importer, '..', id);
    return modules.has(path) ? path : null;
  },
  load: (path) => modules.get(path),
};
const bundle = await rollup({
  input: { main: resolve('dist/main.js'), index: resolve('dist/index.js') },
  external: /^node:/,
  plugins: [inMemory],
  treeshake: false,
  preserveEntrySignatures: 'allow-extension',
});
const { output } = await bundle.write({
  dir: 'dist',
  format: 'cjs',
  exports: 'named',
  dynamicImportInCjs: false,
  compact: true,
  entryFileNames: '[name].cjs',
  chunkFileNames: 'chunks/[name].cjs',
});
const { exports } = output.find(({ fileName }) => fileName === 'index.cjs');
await writeFile('dist/index.js', `export{${exports}}from'./index.cjs';\n`);
await build({
  ...commonJs,
  entryPoints: { tradeform: 'cmd/tradeform.ts' },
  plugins: [mainBeside],
  banner: { js: '#!/usr/bin/env node' },
  // Old ones must be able to read it.
  target: 'node10',
});
await chmod('dist/tradeform.cjs', 0o755);
// One file, beside the program that it starts.
const action = await build({ ...commonJs, entryPoints: { 'github-action': 'cmd/github-action/main.ts' } });

const inputs = [program, action].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile('dist/THIRD_PARTY_LICENSES.txt', await licences(inputs));
const written = [
  'tradeform.cjs',
  'github-action.cjs',
  'index.js',
  ...output.map(({ fileName }) => normalize(fileName)),
];
for (const name of await readdir('dist', { recursive: true }))
  if (/js$/.test(name) && !written.includes(name)) await rm(join('dist', name));

/** The licence texts of every package that went into the bundle. */
async function licences(files) {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  const notices = await Promise.all([...folders].sort().map(notice));
  return `tradeform bundles the following packages.\n\n${notices.join('\n')}`;
}

function packageFolder(input) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return match?.[1];
}

async function notice(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? '(no licence file)' : await readFile(join(folder, file), 'utf8');
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}
