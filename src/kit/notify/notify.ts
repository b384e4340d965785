import { readFileSync } from 'node:fs';
import { lstat, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Diagnostic, note, warning } from '../../core/diagnostics/diagnostic.ts';
import { errorCode, systemWords } from '../../core/diagnostics/system-words.ts';
import type { DocumentNotice } from '../../core/documents/document.ts';
import { given } from '../../core/model/given.ts';
import { isObject } from '../../core/model/json.ts';
import { makeFolders, replaceFile } from '../../core/project/replace-file.ts';
import { type Notice, payloadOf } from './channels.ts';
import { sendOutside } from './outside.ts';
import type { Channel, NotifySettings } from './settings.ts';
import { exposureSituation, type NotifySituation, type RunEnd, situationOf } from './situation.ts';

interface NotifyRun extends RunEnd {
  /** Labels of alerts: project, environment, fleet. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Command, project, environment and everything that narrows the run. A situation ends only when a run with the same scope
   * reports that it is over.
   */
  readonly scope: string;
  /** The page of the job that runs this. */
  readonly url?: string | undefined;
}

/**
 * Tells the channels about the result of a run, each situation once. A failed message becomes a warning. The next run repeats it.
 */
export async function notify(
  { channels, memory: file }: NotifySettings,
  notice: DocumentNotice,
  run: NotifyRun,
): Promise<readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  let memory: Memory | undefined;
  if (file === undefined) {
    const message = 'sent messages are not recorded, so every run sends its messages again';
    const hint = 'Name a file in spec.memory that outlives the run.';
    if (channels.some(({ type }) => type !== 'alertmanager'))
      problems.push(note('notify-without-memory', message, hint));
  } else {
    try {
      memory = new Memory(file);
    } catch (error) {
      const why = `the memory ${file} cannot be read (${systemWords(error)})`;
      problems.push(failed(`${why}, so every run sends its messages again`));
    }
  }
  for (const channel of channels) {
    for (const why of await tell(channel, notice, run, memory))
      problems.push(failed(`no message was sent to ${channel.name} (${channel.url.host}): ${why}`));
  }
  try {
    await memory?.save();
  } catch (error) {
    const why = `the memory ${file} cannot be written (${systemWords(error)})`;
    problems.push(failed(`${why}, so the next run sends the messages again`));
  }
  return problems;
}

/** Returns why messages were not sent. */
async function tell(
  channel: Channel,
  notice: DocumentNotice,
  run: NotifyRun,
  memory: Memory | undefined,
): Promise<readonly string[]> {
  const state = situationOf(notice, run);
  const limit = channel.exposureAbove;
  const exposure = limit === undefined ? undefined : exposureSituation(notice, run, limit);
  if (channel.type === 'alertmanager') return tellAlerts(channel, run, state, exposure);
  const told = await Promise.all([
    tellOnce(channel, run, 'state', state, memory),
    ...(exposure === undefined ? [] : [tellOnce(channel, run, 'exposure', exposure, memory)]),
  ]);
  return told.flatMap((why) => why ?? []);
}

/** Undefined if the channel was told or nothing was due, else why the message failed. */
async function tellOnce(
  channel: Channel,
  run: NotifyRun,
  kind: 'state' | 'exposure',
  found: NotifySituation,
  memory: Memory | undefined,
): Promise<string | undefined> {
  const now = Date.now();
  const key = JSON.stringify([channel.name, kind, run.scope]);
  const told = memory?.get(key);
  // Tasks that were left paused remain so until a run succeeds, even if a later run fails for another reason.
  const paused = told?.event === 'left-paused' && found.event !== 'ok';
  const situation: NotifySituation = paused ? { ...found, event: 'left-paused' } : found;
  const status = dueNotice(situation, told, now);
  if (status === undefined) return undefined;
  const event = status === 'firing' ? situation.event : status === 'done' ? 'applied' : told?.event;
  if (!(channel.events as readonly unknown[]).includes(event)) return undefined;
  const title = status === 'done' ? `${situation.title} (changes: ${situation.applied})` : situation.title;
  const lines = withRun(situation.lines, run);
  const why = await send(channel, {
    ...run,
    ...situation,
    title,
    lines,
    event: String(event),
    status,
    at: now,
  });
  if (why === undefined)
    memory?.set(
      key,
      status === 'firing' ? { event: String(event), identity: situation.identity, at: now } : undefined,
    );
  return why;
}

/** Alertmanager groups and repeats by itself, so each run reports for every alert whether it fires or is over. */
async function tellAlerts(
  channel: Channel,
  run: NotifyRun,
  state: NotifySituation,
  exposure: NotifySituation | undefined,
): Promise<readonly string[]> {
  const at = Date.now();
  const states = channel.events.filter((event) => event !== 'applied' && event !== 'exposure');
  const whys: string[] = [];
  for (const situation of exposure === undefined ? [state] : [state, exposure]) {
    const events: readonly string[] = situation === exposure ? ['exposure'] : states;
    const over = events.filter((event) => event !== situation.event);
    const status = events.includes(situation.event) ? 'firing' : 'resolved';
    const lines = withRun(situation.lines, run);
    const why = await send(channel, { ...run, ...situation, lines, status, at, over });
    if (why !== undefined) whys.push(why);
  }
  return whys;
}

function withRun(lines: readonly string[], { url }: NotifyRun): readonly string[] {
  return url === undefined || lines.length === 0 ? lines : [...lines, `Run: ${url}`];
}

async function send(channel: Channel, notice: Notice): Promise<string | undefined> {
  const { path, headers, body } = payloadOf(channel.type, notice, channel.credentials, channel.wallets);
  return sendOutside(channel.url, {
    method: 'POST',
    ...given({ path }),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function failed(message: string): Diagnostic {
  return warning('notify-failed', message, 'The result of the command does not change.');
}

/** The last message to a channel about one command in one place. */
interface ToldEvent {
  readonly event: string;
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Unresolved situations that a channel was told about, by channel and place. */
export class Memory {
  readonly #told: Map<string, ToldEvent>;
  readonly #changed = new Set<string>();

  /** A missing file counts as empty. Any other file that is not a memory of tradeform throws the system's error. */
  constructor(private readonly file: string) {
    this.#told = toldIn(file);
  }

  get(key: string): ToldEvent | undefined {
    return this.#told.get(key);
  }

  /** `told` is undefined if nothing is wrong any more. */
  set(key: string, told: ToldEvent | undefined): void {
    this.#changed.add(key);
    if (told === undefined) this.#told.delete(key);
    else this.#told.set(key, told);
  }

  /**
   * Other runs may have written in the meantime. Only the changes of this run are merged into the current content of the file.
   */
  async save(): Promise<void> {
    if (this.#changed.size === 0) return;
    const release = await locked(`${this.file}.lock`);
    try {
      const now = toldIn(this.file);
      for (const key of this.#changed) {
        const told = this.#told.get(key);
        if (told === undefined) now.delete(key);
        else now.set(key, told);
      }
      const text = `${JSON.stringify({ format: FORMAT, told: Object.fromEntries(now) }, null, 2)}\n`;
      await replaceFile(this.file, text, { mode: 0o600, keepsMode: true, folders: true });
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
  await makeFolders(dirname(path));
  let seen = '';
  let same = 0;
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return () => rm(path, { force: true });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
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

function toldIn(file: string): Map<string, ToldEvent> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  const stored: unknown = JSON.parse(text);
  if (!isObject(stored) || stored.format !== FORMAT || !isObject(stored.told))
    throw new Error('tradeform did not write it');
  return new Map(
    Object.entries(stored.told).flatMap(([key, value]) => {
      if (!isObject(value)) return [];
      const { event, identity, at } = value;
      return [[key, { event: String(event), identity: String(identity), at: Number(at) }]];
    }),
  );
}

const REMINDER_MS = 24 * 3_600_000;

/**
 * The message that is due about a situation: `firing` if the situation is new, has changed, or was sent a day ago; `resolved`
 * once after it ended; `done` if nothing is wrong and a run made changes. `told` is the last message, undefined without a memory.
 */
function dueNotice(
  situation: NotifySituation,
  told: ToldEvent | undefined,
  now: number,
): 'firing' | 'resolved' | 'done' | undefined {
  if (situation.event !== 'ok')
    return told?.identity === situation.identity && now - told.at < REMINDER_MS ? undefined : 'firing';
  if (told !== undefined) return 'resolved';
  return situation.applied > 0 ? 'done' : undefined;
}
