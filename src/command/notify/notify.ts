import { type Diagnostic, problem } from '../../diagnostics/diagnostic.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Io } from '../io.ts';
import { sendOutside } from '../output/outside.ts';
import { systemWords } from '../system-words.ts';
import { type Notice, payloadOf } from './channels.ts';
import { dueNotice, Memory } from './memory.ts';
import { type Channel, readNotifySettings } from './settings.ts';
import { type NotifySituation, type RunEnd, situationOf } from './situation.ts';

/**
 * Tells the channels what came of a run, each situation once. `place` is the command's project and environment on this machine:
 * a situation is over when the same command in the same place says so. Messages that fail are warnings, and are sent again by
 * the next run.
 */
export async function notify(
  names: readonly string[],
  json: string,
  end: RunEnd & { readonly place: string },
  io: Io,
): Promise<readonly Diagnostic[]> {
  const { channels, memory: file } = readNotifySettings(names, io);
  const problems: Diagnostic[] = [];
  let memory: Memory | undefined;
  if (file === undefined) problems.push(forgets());
  else {
    try {
      memory = Memory.open(file);
    } catch (error) {
      problems.push(
        failed(
          `the memory ${file} cannot be read (${systemWords(error)}), so every run sends its messages again`,
        ),
      );
    }
  }
  const document = JSON.parse(json) as JsonObject;
  for (const channel of channels) {
    const situation = situationOf(document, { ...end, exposureAbove: channel.exposureAbove });
    const why = await tell(channel, situation, { document, end, memory });
    if (why !== undefined)
      problems.push(failed(`no message was sent to ${channel.name} (${channel.url.host}): ${why}`));
  }
  try {
    await memory?.save();
  } catch (error) {
    problems.push(
      failed(
        `the memory ${file} cannot be written (${systemWords(error)}), so the next run sends the messages again`,
      ),
    );
  }
  return problems;
}

interface Telling {
  readonly document: JsonObject;
  readonly end: RunEnd & { readonly place: string };
  readonly memory: Memory | undefined;
}

/** Undefined where the channel was told, or had nothing to be told; else why not. */
async function tell(
  channel: Channel,
  situation: NotifySituation,
  { document, end, memory }: Telling,
): Promise<string | undefined> {
  const now = Date.now();
  const key = JSON.stringify([channel.name, end.place]);
  const told = memory?.get(key);
  const stateless = channel.type === 'alertmanager';
  // Alertmanager groups and repeats by itself, and forgets what it is not told again.
  const status = stateless && situation.event !== 'ok' ? 'firing' : dueNotice(situation, told, now);
  if (status === undefined) return undefined;
  const event =
    status === 'resolved'
      ? (told?.event ?? situation.event)
      : status === 'done'
        ? 'applied'
        : situation.event;
  if (event !== 'ok' && !(channel.events as readonly string[]).includes(event)) return undefined;
  const notice: Notice = {
    ...situation,
    event,
    status,
    title: titleOf(situation, status),
    command: end.command,
    labels: labelsOf(document),
    at: now,
  };
  const { path, headers, body } = payloadOf(channel.type, notice, channel.credentials, channel.wallets);
  const why = await sendOutside(channel.url, {
    method: 'POST',
    ...(path === undefined ? {} : { path }),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (why === undefined)
    memory?.set(key, status === 'firing' ? { event, identity: situation.identity, at: now } : undefined);
  return why;
}

function titleOf({ title, applied }: NotifySituation, status: Notice['status']): string {
  return status === 'done' ? `${title} (${applied} ${applied === 1 ? 'change' : 'changes'} applied)` : title;
}

function labelsOf({ project, environment, fleet }: JsonObject): Readonly<Record<string, string>> {
  const labels = Object.entries({ project, environment, fleet });
  return Object.fromEntries(
    labels.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

function failed(message: string): Diagnostic {
  const said = problem('notify-failed', message, 'The result of the command does not change.');
  return { ...said, severity: 'warning' };
}

function forgets(): Diagnostic {
  const message = 'sent messages are not recorded, so every run sends its messages again';
  const said = problem('notify-without-memory', message, 'Name a file in spec.memory that outlives the run.');
  return { ...said, severity: 'info' };
}
