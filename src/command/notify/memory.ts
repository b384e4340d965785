import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../model/json.ts';
import { replaceFile } from '../../project/replace-file.ts';
import type { NotifySituation } from './situation.ts';

/** What a channel was told last of one command in one place. */
interface Told {
  readonly event: string;
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Situations that a channel was told of and that were not resolved yet, by channel and place. */
export class Memory {
  readonly #file: string;
  readonly #told: Map<string, Told>;

  private constructor(file: string, told: Map<string, Told>) {
    this.#file = file;
    this.#told = told;
  }

  /** A file that is not there yet is empty; throws what the system says of any other that cannot be read, or a SyntaxError. */
  static open(file: string): Memory {
    const told = new Map<string, Told>();
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
    const stored: unknown = text === '' ? {} : JSON.parse(text);
    for (const [key, value] of Object.entries(isObject(stored) ? stored : {}))
      if (isObject(value)) told.set(key, toldIn(value));
    return new Memory(file, told);
  }

  get(key: string): Told | undefined {
    return this.#told.get(key);
  }

  /** `told` is undefined where nothing is wrong any more. */
  set(key: string, told: Told | undefined): void {
    if (told === undefined) this.#told.delete(key);
    else this.#told.set(key, told);
  }

  save(): Promise<void> {
    const text = `${JSON.stringify(Object.fromEntries(this.#told), null, 2)}\n`;
    return replaceFile(this.#file, text, { mode: 0o600, keepsMode: true, folders: true });
  }
}

function toldIn({ event, identity, at }: JsonObject): Told {
  return { event: String(event), identity: String(identity), at: Number(at) };
}

const REMINDER_MS = 24 * 3_600_000;

/**
 * What a channel is told of a situation: `firing` where it is new, is another one, or was told a day ago; `resolved` once where
 * it is over. `done` where nothing is wrong and a run made changes. `told` is what it was told last, with no memory undefined.
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
