import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

/**
 * The bundle's chunks are function expressions with a code cache beside them, both written by esbuild.config.mjs. V8 then
 * neither parses nor compiles at start, which is most of what a short command costs. V8's own check of a cache is not enough:
 * Node 20.18 takes one of Node 20.20 and dies of it. A cache is therefore named by the very executable that wrote it, and
 * any other Node compiles the text as usual; the package ships none.
 */
const FOLDER = join(__dirname, 'program');
const LOADED = new Map<string, { exports: object }>();

type Chunk = (
  exports: object,
  require: (id: string) => object,
  module: { exports: object },
  folder: string,
) => void;

/**
 * A short command is over before optimised code pays for itself: on Node 20 compiling it was half of the CPU time of
 * validating a small project. With this V8 waits longer before it begins; newer ones have a cheaper step in between.
 */
export function delayOptimiser(): void {
  if (!process.versions.v8.startsWith('11.')) return;
  const v8 = require('node:v8') as typeof import('node:v8');
  v8.setFlagsFromString('--interrupt-budget=500000');
}

/** The exports of a chunk of the bundle; chunks are loaded once. */
export function loadChunk(name: string): object {
  const known = LOADED.get(name);
  if (known !== undefined) return known.exports;
  const module = { exports: {} };
  LOADED.set(name, module);
  const filename = join(FOLDER, name);
  const cachedData = readCache(`${filename}.${cacheTag()}.cache`);
  const script = new vm.Script(
    readFileSync(filename, 'latin1'),
    cachedData === undefined ? { filename } : { filename, cachedData },
  );
  const chunk = script.runInThisContext() as Chunk;
  chunk(module.exports, resolve, module, __dirname);
  return module.exports;
}

function resolve(id: string): object {
  return id.startsWith('./') ? loadChunk(id.slice(2)) : (require(id) as object);
}

/** The same in code-cache.cjs, which writes the caches. */
function cacheTag(): string {
  const { size, mtimeMs } = statSync(process.execPath);
  return `${process.version}-${process.arch}-${size}-${Math.trunc(mtimeMs)}`;
}

function readCache(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
