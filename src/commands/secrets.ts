import type { DesiredState } from '../desired/state.ts';
import type { Plan } from '../model/generated/plan.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { SECRET } from '../model/secret.ts';
import { markdownText } from '../render/markdown/escape.ts';
import { visible } from '../render/untrusted.ts';
import type { Io } from './io.ts';

/** Shorter texts, and plain amounts, stand in too many other places; the documents hide them by their fields. */
const SHORTEST = 6;
const AMOUNT = /^[0-9.]*$/;

/**
 * The same terminal, through which no text of the environment gets: the service may repeat in a message what it was sent.
 * Documents hide their fields themselves (src/render/mask.ts).
 */
export function hiding(io: Io, values: Iterable<string>): Io {
  const secrets = [...new Set(values)].filter((value) => value.length >= SHORTEST && !AMOUNT.test(value));
  if (secrets.length === 0) return io;
  const written = [...new Set(secrets.flatMap(waysToWrite))].sort((a, b) => b.length - a.length);
  const hide = (text: string) => written.reduce((hidden, secret) => hidden.replaceAll(secret, SECRET), text);
  // Not a copy: the width and the signals are asked for anew each time.
  return Object.assign(Object.create(io) as Io, {
    stdout: (text: string) => io.stdout(hide(text)),
    stderr: (text: string) => io.stderr(hide(text)),
    masked: (text: string) => hide(io.masked?.(text) ?? text),
    command: (text: string) => (io.command ?? io.stderr)(hide(text)),
  });
}

/** A text as it is, as it is shown, and as JSON and Markdown write it. */
function waysToWrite(text: string): readonly string[] {
  return [text, visible(text), JSON.stringify(text).slice(1, -1), markdownText(text)];
}

/** The values of the desired state that came from the environment. */
export function secretsOf({ tasks, templates }: DesiredState): readonly string[] {
  return [...tasks, ...templates].flatMap((resource) => {
    const { secrets } = resource;
    if (secrets === undefined) return [];
    const value = { ...resource, ...('note' in resource ? { remark: resource.note } : {}) };
    return secrets.flatMap((path) => textAt(value as unknown as JsonObject, path));
  });
}

/** The same of a saved plan, by the bodies that it sends. */
export function secretsOfPlan({ changes, operations }: Plan): readonly string[] {
  const bodies = new Map<string, JsonObject[]>();
  for (const { address, body } of operations) {
    if (body !== null) bodies.set(address, [...(bodies.get(address) ?? []), body as JsonObject]);
  }
  return changes.flatMap(({ address, secrets = [] }) =>
    (bodies.get(address) ?? []).flatMap((body) => secrets.flatMap((path) => textAt(body, path))),
  );
}

function textAt(root: JsonObject, path: string): readonly string[] {
  const segments = [...path.matchAll(/[^.[\]]+/g)].map(([segment]) => segment);
  const value = segments.reduce<Json | undefined>(
    (at, segment) =>
      Array.isArray(at)
        ? at[Number(segment)]
        : isObject(at) && Object.hasOwn(at, segment)
          ? at[segment]
          : undefined,
    root,
  );
  if (isObject(value) && typeof value.note === 'string') return [value.note];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}
