import { readFileSync } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../model/json.ts';
import { replaceFile } from '../../project/replace-file.ts';
import type { NotifySituation } from './situation.ts';

/** The last message to a channel about one command in one place. */
interface Told {
  readonly event: string;
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Unresolved situations that a channel was told about, by channel and place. */
export class Memory {
  readonly #file: string;
  readonly #told: Map<string, Told>;
  readonly #changed = new Set<string>();

  private constructor(file: string, told: Map<string, Told>) {
    this.#file = file;
    this.#told = told;
  }

  /** A missing file counts as empty. Any other file that is not a memory of tradeform throws the system's error. */
  static open(file: string): Memory {
    return new Memory(file, toldIn(file));
  }

  get(key: string): Told | undefined {
    return this.#told.get(key);
  }

  /** `told` is undefined if nothing is wrong any more. */
  set(key: string, told: Told | undefined): void {
    this.#changed.add(key);
    if (told === undefined) this.#told.delete(key);
    else this.#told.set(key, told);
  }

  /**
   * Other runs may have written in the meantime. Only the changes of this run are merged into the current content of the file.
   */
  async save(): Promise<void> {
    if (this.#changed.size === 0) return;
    const release = await locked(`${this.#file}.lock`);
    try {
      const now = toldIn(this.#file);
      for (const key of this.#changed) {
        const told = this.#told.get(key);
        if (told === undefined) now.delete(key);
        else now.set(key, told);
      }
      const text = `${JSON.stringify({ format: FORMAT, told: Object.fromEntries(now) }, null, 2)}\n`;
      await replaceFile(this.#file, text, { mode: 0o600, keepsMode: true, folders: true });
    } finally {
      await release();
    }
  }
}

/** Milliseconds between two looks at the lock of another run. */
const PAUSE_MS = 20;
/** A lock that is the same for so many looks belongs to a run that died. Writing the file takes a few milliseconds. */
const LOOKS = 150;
/** Other runs may hold it one after another. The work of this run is done, so it does not wait for ever. */
const MOST_LOOKS = 500;

/**
 * Waits until nobody else holds the lock. The returned function releases it. No time of the file counts, because it may lie
 * ahead. A link without a target counts as a lock. Fails if others hold it for too long.
 */
async function locked(path: string): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  let seen = '';
  let same = 0;
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const { ino, ctimeMs } = (await lstat(path).catch(() => undefined)) ?? {};
    const now = `${ino} ${ctimeMs}`;
    same = now === seen ? same + 1 : 0;
    seen = now;
    if (same >= LOOKS) await rm(path, { force: true });
    else await wait(PAUSE_MS);
  }
  throw new Error(`other runs held ${path} for ${(MOST_LOOKS * PAUSE_MS) / 1_000} s`);
}

const FORMAT = 'tradeform.notified/1';

function toldIn(file: string): Map<string, Told> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw error;
  }
  const stored: unknown = JSON.parse(text);
  if (!isObject(stored) || stored.format !== FORMAT || !isObject(stored.told))
    throw new Error('tradeform did not write it');
  return new Map(
    Object.entries(stored.told).flatMap(([key, value]) => (isObject(value) ? [[key, oneTold(value)]] : [])),
  );
}

function oneTold({ event, identity, at }: JsonObject): Told {
  return { event: String(event), identity: String(identity), at: Number(at) };
}

const REMINDER_MS = 24 * 3_600_000;

/**
 * The message that is due about a situation: `firing` if the situation is new, has changed, or was sent a day ago; `resolved`
 * once after it ended; `done` if nothing is wrong and a run made changes. `told` is the last message, undefined without a
 * memory.
 */
export function dueNotice(
  situation: NotifySituation,
  told: Told | undefined,
  now: number,
): 'firing' | 'resolved' | 'done' | undefined {
  if (situation.event !== 'ok')
    return told?.identity === situation.identity && now - told.at < REMINDER_MS ? undefined : 'firing';
  if (told !== undefined) return 'resolved';
  return situation.applied > 0 ? 'done' : undefined;
}
