import { createHash } from 'node:crypto';
import type { ListPosition } from './ordered.ts';
import { Refused } from './refusal.ts';
import type { SandboxEnv } from './request.ts';

/** Where a traversal goes on: after an item, or at a count. */
export type CursorPlace = ListPosition | number;

const EXPIRY = { never: Number.POSITIVE_INFINITY, '15m': 15 * 60 * 1000, '10s': 10 * 1000 } as const;

/** What a cursor holds: its scope (a hash), when it was made, and the place. */
type Content = readonly [scope: string, at: number, place: number | readonly [string | number, string]];

/** An opaque cursor, bound to a scope: token and filters (interface, "List query parameters"). */
export function writeCursor(place: CursorPlace, scope: string, now: number): string {
  const held = typeof place === 'number' ? place : ([place.key, place.id] as const);
  const content: Content = [digest(scope), now, held];
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${digest(text)}`;
}

/** Throws the chosen error for a cursor that is malformed, expired or bound to something else. */
export function readCursor(cursor: string, scope: string, env: SandboxEnv): CursorPlace {
  const [text = '', check] = cursor.split('.');
  if (check !== digest(text)) throw badCursor(env, 'The cursor is not valid.');
  const [owner, at, place] = JSON.parse(Buffer.from(text, 'base64url').toString()) as Content;
  if (owner !== digest(scope)) throw badCursor(env, 'The cursor belongs to another token or other filters.');
  if (env.now - at > EXPIRY[env.choices.cursor_expiry]) throw badCursor(env, 'The cursor has expired.');
  return typeof place === 'number' ? place : { key: place[0], id: place[1] };
}

function badCursor({ choices }: SandboxEnv, message: string): Refused {
  const fields =
    choices.cursor_error === 'validation_error' ? [{ path: 'cursor', reason: 'invalid_cursor' }] : [];
  return new Refused(choices.cursor_error, message, fields);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
