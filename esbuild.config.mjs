// Bundles the executable and the library into dist/.
//
// The executable is CommonJS with a code cache, since that starts fastest: dist/tradeform.cjs answers --version by itself
// and loads chunks of dist/program/, so that a command loads only what it runs. The library is one ES module.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

const PROGRAM = 'dist/program';
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const options = {
  bundle: true,
  platform: 'node',
  target: 'node20.18',
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  define: { TRADEFORM_VERSION: JSON.stringify(manifest.version) },
};

await mkdir(PROGRAM, { recursive: true });
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
/** Modules that are replaced where these packages ask for them: tradeform has no use for what they would load or do. */
const STUBS = [
  // Starting programs for subcommands: there are none, and loading that part of Node costs 2 ms.
  {
    name: 'no-child-process',
    importer: 'node_modules/commander/',
    filter: /^node:child_process$/,
    code: 'module.exports = {};',
  },
  // Debug settings are looked up in the environment for each token, which is half of the time that parsing takes.
  {
    name: 'no-process',
    importer: 'node_modules/yaml/',
    filter: /^process$/,
    code: 'module.exports = { env: {}, emitWarning() {} };',
  },
  // Of the HTTP library what src/api/http.ts calls: a pool of HTTP/1.1 connections, whose bodies are text. All of it would
  // be five times as much to load, fetch and WebSockets and HTTP/2 among it.
  {
    name: 'http-pool',
    importer: 'src/api/',
    filter: /^undici$/,
    code: `
      exports.Pool = require('undici/lib/dispatcher/pool.js');
      exports.buildConnector = require('undici/lib/core/connect.js');
    `,
  },
  {
    name: 'no-http2',
    importer: 'node_modules/undici/',
    filter: /^node:http2$/,
    code: 'module.exports = { constants: {} };',
  },
  {
    name: 'no-fetch',
    importer: 'node_modules/undici/',
    filter: /\/web\/fetch\/body\.js$/,
    code: "throw new Error('bodies are text');",
  },
];
const stubs = {
  name: 'stubs',
  setup(bundler) {
    for (const { name, importer: asker, filter, code } of STUBS) {
      bundler.onResolve({ filter }, ({ importer }) =>
        importer.includes(asker) ? { path: name, namespace: 'stub' } : undefined,
      );
      bundler.onLoad({ filter: new RegExp(`^${name}$`), namespace: 'stub' }, () => ({
        contents: code,
        resolveDir: process.cwd(),
      }));
    }
  },
};
const inputs = [
  ...(await buildLibrary()),
  ...(await buildProgram()),
  ...(await buildEntry()),
  ...(await buildAction()),
];
await writeFile('dist/THIRD_PARTY_LICENSES.txt', await licences(inputs));
await writeCodeCache();

async function buildLibrary() {
  const { metafile } = await build({
    ...options,
    entryPoints: { index: 'src/index.ts' },
    outdir: 'dist',
    format: 'esm',
    minifySyntax: true,
    plugins: [stubs],
    // CommonJS packages in an ES module: their `require` of Node's own modules needs one.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
  return Object.keys(metafile.inputs);
}

async function buildEntry() {
  await build({
    ...options,
    entryPoints: { tradeform: 'cmd/tradeform.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
    banner: { js: '#!/usr/bin/env node' },
  });
  await chmod('dist/tradeform.cjs', 0o755);
  return [];
}

/** What action.yml runs: one file, beside the program that it starts. */
async function buildAction() {
  const { metafile } = await build({
    ...options,
    entryPoints: { 'github-action': 'cmd/github-action/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    minify: true,
  });
  return Object.keys(metafile.inputs);
}

/** esbuild splits ES modules only: they are split first, and each chunk is turned into a CommonJS function afterwards. */
async function buildProgram() {
  const work = await mkdtemp(join(tmpdir(), 'tradeform-build-'));
  try {
    const { metafile } = await build({
      ...options,
      entryPoints: { main: 'cmd/main.ts' },
      outdir: join(work, 'esm'),
      chunkNames: '[name]-[hash]',
      splitting: true,
      format: 'esm',
      minify: true,
      plugins: [validatorsByUse, stubs],
    });
    const chunks = (await readdir(join(work, 'esm'))).sort();
    await build({
      ...options,
      entryPoints: chunks.map((name) => join(work, 'esm', name)),
      outdir: join(work, 'cjs'),
      bundle: false,
      format: 'cjs',
      minify: true,
      supported: { 'dynamic-import': false },
    });
    await install(join(work, 'cjs'), chunks);
    return Object.keys(metafile.inputs);
  } finally {
    await rm(work, { recursive: true });
  }
}

/** File by file, stale ones last: a tradeform that runs meanwhile keeps working. No cache outlives its chunk. */
async function install(from, chunks) {
  const before = await readdir(PROGRAM);
  for (const name of before.filter((file) => file.endsWith('.cache'))) await rm(join(PROGRAM, name));
  for (const name of chunks) {
    // esbuild leaves regular expressions as they are written; the loader reads one byte a letter.
    const code = (await readFile(join(from, name), 'utf8')).replace(
      /[^\x00-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const temporary = join(PROGRAM, `${name}.new`);
    await writeFile(temporary, `(function(exports,require,module,__dirname){${code}\n})`, 'latin1');
    await rename(temporary, join(PROGRAM, name));
  }
  for (const name of before.filter((file) => file.endsWith('.js') && !chunks.includes(file))) {
    await rm(join(PROGRAM, name));
  }
}

/** Runs what is common once, against a service of its own, and keeps what V8 compiled. Without a cache everything works, only slower. */
async function writeCodeCache() {
  if (!existsSync('examples/quickstart')) return;
  const sandbox = spawn(process.execPath, ['dist/tradeform.cjs', 'sandbox', '-q', '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(sandbox.stdout, 'data');
  const { base_url, token } = JSON.parse(String(line));
  const project = ['-C', 'examples/quickstart'];
  for (const args of [
    ['plan', ...project],
    ['apply', '--auto-approve', '--first-apply', ...project],
    ['plan', ...project],
    ['validate', ...project],
    ['doctor'],
    ['--help'],
  ]) {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TRADEFORM_BASE_URL: base_url,
      TRADEFORM_TOKEN: token,
    };
    spawnSync(process.execPath, ['--require', './cmd/code-cache.cjs', 'dist/tradeform.cjs', ...args], {
      env,
    });
  }
  sandbox.kill();
}

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
