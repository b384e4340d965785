import { type Diagnostic, note, warning } from '../../diagnostics/diagnostic.ts';
import type { JsonObject } from '../../model/json.ts';
import { sendOutside } from '../output/outside.ts';
import { systemWords } from '../system-words.ts';
import { type Notice, payloadOf } from './channels.ts';
import { dueNotice, Memory } from './memory.ts';
import type { Channel, NotifySettings } from './settings.ts';
import { exposureSituation, type NotifySituation, type RunEnd, situationOf } from './situation.ts';

/** A run and its subject. */
export interface NotifyRun extends RunEnd {
  /** Labels of alerts: project, environment, fleet. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Command, project, environment and everything that narrows the run. A situation ends only when a run with the same scope
   * reports that it is over.
   */
  readonly scope: string;
}

/**
 * Tells the channels about the result of a run, each situation once. A failed message becomes a warning. The next run repeats
 * it.
 */
export async function notify(
  { channels, memory: file }: NotifySettings,
  document: JsonObject,
  run: NotifyRun,
): Promise<readonly Diagnostic[]> {
  const problems: Diagnostic[] = [];
  let memory: Memory | undefined;
  if (file === undefined) {
    if (channels.some(({ type }) => type !== 'alertmanager')) problems.push(forgets());
  } else {
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
  for (const channel of channels) {
    for (const why of await tell(channel, document, run, memory))
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

/** Returns why messages were not sent. */
async function tell(
  channel: Channel,
  document: JsonObject,
  run: NotifyRun,
  memory: Memory | undefined,
): Promise<readonly string[]> {
  const state = situationOf(document, run);
  const limit = channel.exposureAbove;
  const exposure = limit === undefined ? undefined : exposureSituation(document, run, limit);
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
  const why = await send(channel, { ...run, ...situation, title, event: String(event), status, at: now });
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
  const taken = channel.events.filter((event) => event !== 'applied');
  const states = taken.filter((event) => event !== 'exposure');
  const sent = [
    [state, states] as const,
    ...(exposure === undefined ? [] : [[exposure, ['exposure'] as const] as const]),
  ];
  const whys: string[] = [];
  for (const [situation, events] of sent) {
    const firing = (events as readonly string[]).includes(situation.event);
    const over = events.filter((event) => event !== situation.event);
    const status = firing ? 'firing' : 'resolved';
    const why = await send(channel, { ...run, ...situation, status, at, over });
    if (why !== undefined) whys.push(why);
  }
  return whys;
}

async function send(channel: Channel, notice: Notice): Promise<string | undefined> {
  const { path, headers, body } = payloadOf(channel.type, notice, channel.credentials, channel.wallets);
  return sendOutside(channel.url, {
    method: 'POST',
    ...(path === undefined ? {} : { path }),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

function failed(message: string): Diagnostic {
  return warning('notify-failed', message, 'The result of the command does not change.');
}

function forgets(): Diagnostic {
  const message = 'sent messages are not recorded, so every run sends its messages again';
  return note('notify-without-memory', message, 'Name a file in spec.memory that outlives the run.');
}
