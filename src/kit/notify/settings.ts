import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { realOf, userFile } from '../../core/command/confirmed-hosts.ts';
import type { Io } from '../../core/command/io.ts';
import { CommandFailure, type Diagnostic, usage } from '../../core/diagnostics/diagnostic.ts';
import { didYouMean } from '../../core/diagnostics/suggest.ts';
import { systemWords } from '../../core/diagnostics/system-words.ts';
import type { Manifest } from '../../core/manifest/manifest.ts';
import { readOneDocument } from '../../core/manifest/read.ts';
import { isObject, type JsonObject, objectIn } from '../../core/model/json.ts';
import { isInside } from '../../core/project/door/location.ts';
import { othersFile } from '../../core/project/find-project.ts';
import { requireNamed } from '../../core/project/read-file.ts';
import type { ChannelType, Credentials } from './channels.ts';
import { type OutsideUrl, outsideUrl } from './outside.ts';
import { EVENTS, type NotifyEvent } from './situation.ts';

export interface Channel {
  readonly name: string;
  readonly type: ChannelType;
  readonly url: OutsideUrl;
  readonly credentials: Credentials;
  readonly events: readonly NotifyEvent[];
  readonly exposureAbove: string | undefined;
  /** Addresses are written in full. */
  readonly wallets: boolean;
}

export interface NotifySettings {
  readonly channels: readonly Channel[];
  /** Absolute; undefined where nothing is remembered. */
  readonly memory: string | undefined;
}

const FILE = 'notifications.yaml';
const VARIABLE = 'TRADEFORM_NOTIFICATIONS';
/** A short key can be guessed, and hiding it would hide its letters wherever they occur. */
const LEAST_KEY = 16;
const TELEGRAM = 'https://api.telegram.org';

/**
 * The channels that `--notify` names, from the operator's own file: `TRADEFORM_NOTIFICATIONS`, else `notifications.yaml` in the
 * user's settings. Fails with exit 3 and everything that is wrong; sends nothing. A file in the project's repository is
 * refused, because a pull request could change it. `io.masking` is told every secret.
 */
export function readNotifySettings(
  names: readonly string[],
  reviewed: readonly string[],
  io: Pick<Io, 'cwd' | 'env' | 'masking'>,
): NotifySettings {
  const named = io.env[VARIABLE];
  const path = named ? resolve(io.cwd, named) : userFile(io.env, FILE);
  if (path === undefined)
    throw usage(
      '--notify: there is no folder for settings of the user',
      `Set ${VARIABLE} to a file outside of the repository.`,
    );
  if (reviewed.some((folder) => isInside(folder, path) || isInside(folder, realOf(path))))
    throw usage(
      `--notify: ${path} lies in the repository, where a pull request can change it`,
      'Keep the file outside of it; in CI, write it from a secret or a variable.',
    );
  const others = named ? undefined : othersFile(path, io.env);
  if (others !== undefined) throw new CommandFailure(3, [others]);
  const source = requireNamed(path, path);
  const sources = new Map([[source.file, source.text]]);
  const other = 'this file must contain exactly one document, of kind Notifications';
  const { manifest, diagnostics } = readOneDocument(source, 'Notifications', other);
  if (manifest === undefined || diagnostics.length > 0) throw new CommandFailure(3, diagnostics, sources);
  const reader = new ChannelReader(manifest, dirname(path), io);
  const channels = names.flatMap((name) => reader.channel(name) ?? []);
  if (reader.diagnostics.length > 0) throw new CommandFailure(3, reader.diagnostics, sources);
  const memory = manifest.get('spec', 'memory');
  return { channels, memory: typeof memory === 'string' ? resolve(dirname(path), memory) : undefined };
}

class ChannelReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #manifest: Manifest;
  readonly #home: string;
  readonly #io: Pick<Io, 'env' | 'masking'>;

  constructor(manifest: Manifest, home: string, io: Pick<Io, 'env' | 'masking'>) {
    this.#manifest = manifest;
    this.#home = home;
    this.#io = io;
  }

  channel(name: string): Channel | undefined {
    const channels = this.#manifest.get('spec', 'channels');
    const known = objectIn(channels);
    const entry = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!isObject(entry)) {
      const near = didYouMean(name, Object.keys(known));
      this.#wrong(
        [],
        `--notify ${name} names no channel of this file`,
        near ?? `the channels are ${Object.keys(known).join(', ')}`,
      );
      return undefined;
    }
    const type = entry.type as ChannelType;
    const at = ['spec', 'channels', name];
    const fails = this.diagnostics.length;
    const text = this.#secret(entry, 'url', at) ?? (type === 'telegram' ? TELEGRAM : undefined);
    const token = this.#secret(entry, 'token', at);
    const secret = this.#secret(entry, 'secret', at);
    if (secret !== undefined && secret.length < LEAST_KEY)
      this.#wrong(
        at,
        `the key of this channel is too short: ${secret.length} characters`,
        `use at least ${LEAST_KEY} random characters`,
      );
    const url = text === undefined ? undefined : outsideUrl(text, this.#io.env);
    if (text === undefined && entry.url_env === undefined && entry.url_file === undefined)
      this.#wrong(at, 'this channel has no URL', 'write url_env or url_file: the URL is often a secret');
    else if (url !== undefined && 'problem' in url)
      this.#wrong(
        at,
        `the URL of this channel cannot be used: ${url.problem}`,
        'copy it again from the settings of the chat or monitor',
      );
    if (type === 'telegram' && entry.token_env === undefined && entry.token_file === undefined)
      this.#wrong(at, 'this channel has no token', 'write token_env or token_file: the token of the bot');
    if (type === 'telegram' && typeof entry.chat !== 'string')
      this.#wrong(at, 'this channel has no chat', 'write chat: the id of the chat, in quotes');
    if (url === undefined || 'problem' in url || this.diagnostics.length > fails) return undefined;
    const events = Array.isArray(entry.events)
      ? EVENTS.filter((event) => (entry.events as unknown[]).includes(event))
      : EVENTS;
    const { exposure_above: above, chat } = entry;
    return {
      name,
      type,
      url,
      credentials: { token, secret, chat: typeof chat === 'string' ? chat : undefined },
      events,
      exposureAbove: typeof above === 'string' ? above : undefined,
      wallets: entry.wallets === true,
    };
  }

  /** The secret that `NAME_env` or `NAME_file` refers to. */
  #secret(entry: JsonObject, name: string, at: readonly string[]): string | undefined {
    const { [`${name}_env`]: variable, [`${name}_file`]: file } = entry;
    if (typeof variable === 'string' && typeof file === 'string')
      this.#wrong([...at, `${name}_file`], `both ${name}_env and ${name}_file are set`, 'keep one of them');
    let text: string | undefined;
    if (typeof variable === 'string') {
      text = this.#io.env[variable]?.trim();
      if (!text)
        this.#wrong(
          [...at, `${name}_env`],
          `the variable ${variable} is not set`,
          'set it where the schedule runs',
        );
    } else if (typeof file === 'string') {
      try {
        text = readFileSync(resolve(this.#home, file), 'utf8').trim();
      } catch (error) {
        this.#wrong(
          [...at, `${name}_file`],
          `${file} cannot be read: ${systemWords(error)}`,
          'write a path from the folder of this file',
        );
      }
    }
    if (text !== undefined && text.length >= LEAST_KEY) this.#io.masking.learnToken(text);
    return text || undefined;
  }

  #wrong(at: readonly string[], message: string, hint: string): void {
    this.diagnostics.push(this.#manifest.diagnostic(at, { code: 'invalid-value', message, hint }));
  }
}
