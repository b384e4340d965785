import { PLAIN_PARTS, type PlainParts, TASK_PARTS, type TaskPart } from './generated/parts.ts';
import { type Json, type JsonObject, jsonEqual } from './json.ts';
import type { TaskCollection } from './kind.ts';

/** What a patch can change. */
const isPatched = ({ sent }: TaskPart) => sent === 'patch';
export const PATCHED_PARTS = PLAIN_PARTS.filter(isPatched);

const namesOf = (parts: readonly TaskPart[]): readonly string[] => parts.map(({ name }) => name);
/** What may come from the environment. */
export const SECRETABLE = ['config', ...namesOf(TASK_PARTS.filter(({ secret }) => secret))];
/** What `lifecycle.ignore_changes` may name beside paths of the config. */
export const IGNORABLE = namesOf(TASK_PARTS.filter(isPatched));

/** The part at the path of a field, or of an item in it. */
export function partAt(path: string): TaskPart | undefined {
  return TASK_PARTS.find(({ name }) => name === path || path.startsWith(`${name}[`));
}

export function partsOfKind(collection: TaskCollection): readonly TaskPart[] {
  return PLAIN_PARTS.filter(({ of }) => of?.includes(collection) !== false);
}

/** The values of plain parts that are there, as they are sent and written. */
export function pick(from: object, parts = PLAIN_PARTS): JsonObject {
  const values = parts.flatMap(({ name }) => {
    const value = (from as JsonObject)[name];
    return value === undefined ? [] : [[name, Array.isArray(value) ? [...value] : value]];
  });
  return Object.fromEntries(values);
}

type Sent<Value> = Value extends readonly (infer Item)[] ? Item[] : Value;
type SentParts = { [Name in keyof PlainParts]: Sent<PlainParts[Name]> };

/** The plain parts of a kind, complete, as they are sent. */
export function partsIn(from: object, collection: TaskCollection): SentParts {
  const parts = partsOfKind(collection);
  const none = Object.fromEntries(parts.map((part) => [part.name, part.none]));
  return pick({ ...none, ...pick(from) }, parts) as SentParts;
}

/** The plain parts of a kind as a manifest has them: without those that say nothing. */
export function writtenParts(from: object, collection: TaskCollection): JsonObject {
  return pick(from, differingParts(from, {}, partsOfKind(collection)));
}

/** In the form in which it is compared. */
export function canonicalPart(from: object, { stored, none = null }: TaskPart): Json {
  const value = (from as JsonObject)[stored] ?? none;
  return Array.isArray(value) ? value.map(String).sort() : value;
}

/** Every plain part in the form in which it is compared. */
export function canonicalParts(from: object): JsonObject {
  return Object.fromEntries(PLAIN_PARTS.map((part) => [part.name, canonicalPart(from, part)]));
}

export function differingParts(a: object, b: object, parts: readonly TaskPart[]): readonly TaskPart[] {
  return parts.filter((part) => !jsonEqual(canonicalPart(a, part), canonicalPart(b, part)));
}
