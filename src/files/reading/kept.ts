import { existsSync } from 'node:fs';
import { cacheFile, type Environment } from './cache-file.ts';
import { keepSmall } from './cache-folder.ts';
import { readPackThrough, touchPack, writePack } from './pack.ts';

/** What is kept for one name at most, in bytes; more is not kept at all. */
const MOST = 256 * 1024 * 1024;

/** Values that were made once, under one key at a time. None of its failures is told. */
export interface Kept {
  /** Whether there is something to read. */
  exists(): boolean;
  read(): KeptParts | undefined;
  /** In place of those before. */
  save(key: string, parts: Iterable<unknown>): void;
  /** It was of use: what was used last is kept longest. */
  touch(): void;
}

export interface KeptParts {
  readonly key: string;
  readonly parts: readonly unknown[];
}

/** Undefined where the user wants no cache or the system gives none. */
export function openKept(
  name: readonly [projectDir: string, ...more: string[]],
  env: Environment,
  build?: string,
): Kept | undefined {
  const file = cacheFile(name, env, build);
  if (file === undefined) return undefined;
  const { path, made } = file;
  return {
    exists: () => existsSync(path),
    read() {
      let first: string | undefined;
      const parts: unknown[] = [];
      const whole = readPackThrough(path, made, MOST, (key, json) => {
        first ??= key;
        parts.push(JSON.parse(json.toString('utf8')));
      });
      return whole && first !== undefined ? { key: first, parts } : undefined;
    },
    save(key, parts) {
      const entries = [...parts].map((part, at) => ({
        key: at === 0 ? key : String(at),
        json: Buffer.from(JSON.stringify(part)),
        offsets: new Int32Array(),
      }));
      if (entries.reduce((sum, { json }) => sum + json.length, 0) > MOST) return;
      writePack(path, made, entries);
      keepSmall(path);
    },
    touch: () => touchPack(path),
  };
}
