import type { JsonObject } from '../model/json.ts';
import { kindOf } from '../model/kind.ts';
import { type LiveResource, versionOf } from '../model/resource.ts';
import type { Outcome, WriteRequest } from '../ports/api.ts';
import type { TaskVerb } from './decide.ts';
import type { Look, Requests } from './requests.ts';

export type Next<End> = { readonly send: WriteRequest } | { readonly end: End };

/**
 * What is to become of one resource, whatever others do to it at the same time: a state machine that {@link write} carries out. It
 * says what to send, and takes in what came of it. The intents differ in their policy: `CarefulWrite` ends where somebody else
 * changed what it rests on, `SwitchOff` pauses whatever comes, `KeyedCreate` sends the same create again.
 */
export interface Intent<End> {
  next(): Next<End>;
  /** Takes in an answer. Returns the resource that has to be read, as it was known before, if the answer does not decide. */
  answered(outcome: Outcome): LiveResource | undefined | Promise<undefined>;
  /** Takes in the reading after such an answer. Returns a number of attempts if the next request has to wait. */
  read(look: Look, outcome: Outcome): number | undefined;
}

/** The only place that sends a request that writes: send, read if the answer does not decide, decide, and again. */
export async function write<End>(intent: Intent<End>, requests: Requests): Promise<End> {
  for (;;) {
    const step = intent.next();
    if ('end' in step) return step.end;
    const outcome = await requests.write(step.send);
    const doubtful = await intent.answered(outcome);
    if (doubtful === undefined) continue;
    const attempts = intent.read(await requests.lookSince(doubtful), outcome);
    if (attempts !== undefined) await requests.backOff(attempts);
  }
}

export function requestOf(verb: TaskVerb, known: LiveResource, body: JsonObject | null): WriteRequest {
  const path = `${kindOf(known.collection).path}/${known.id}`;
  const version = versionOf(known);
  const guard = version === undefined ? {} : { ifMatch: version };
  switch (verb) {
    case 'pause':
    case 'resume':
      return { method: 'POST', path: `${path}/${verb}`, ...guard };
    case 'delete':
      return { method: 'DELETE', path, ...guard };
    case 'mark':
    case 'patch':
      return { method: 'PATCH', path, ...guard, body: body ?? {} };
  }
}
