import { LIMITS } from '../model/kind.ts';
import type { Choices } from './choices.ts';
import { Refused } from './refusal.ts';
import type { ParsedRequest } from './request.ts';

const DEFAULT_LIMIT = 20;
const MAX_Q = 64;
const MAX_CURSOR = 2048;

/** Refuses unknown parameters, if that is chosen, and repeated parameters. */
export function checkQuery(request: ParsedRequest, known: readonly string[], choices: Choices): void {
  if (request.repeatedQuery) throw new Refused('invalid_request', 'A query parameter appears twice.');
  const unknown = [...request.query.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined && choices.unknown_query === 'invalid_request') {
    throw new Refused('invalid_request', `The query parameter ${unknown} is unknown.`);
  }
}

/** `limit`: 1 to 100, default 20. */
export function limitOf(request: ParsedRequest): number {
  const text = request.query.get('limit');
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LIMITS.page) throw new Refused('invalid_request', 'limit is 1 to 100.');
  return limit;
}

/** `q`: at most 64 characters. The empty string applies no filter. */
export function searchOf(request: ParsedRequest): string {
  const q = request.query.get('q') ?? '';
  if (q.length > MAX_Q) throw new Refused('invalid_request', 'q has at most 64 characters.');
  return q;
}

export function cursorOf(request: ParsedRequest): string | undefined {
  const cursor = request.query.get('cursor');
  if (cursor !== undefined && cursor.length > MAX_CURSOR) {
    throw new Refused('invalid_request', 'cursor has at most 2048 characters.');
  }
  return cursor;
}

export function statusFilter(request: ParsedRequest): 'active' | 'paused' | undefined {
  const status = request.query.get('status');
  if (status === undefined || status === 'active' || status === 'paused') return status;
  throw new Refused('invalid_request', 'status is active or paused.');
}

/** Whether a text matches `q`, in the chosen way. */
export function matches(text: string, q: string, choices: Choices): boolean {
  if (q === '') return true;
  if (choices.q_match === 'substring-case') return text.includes(q);
  const [hay, needle] = [text.toLowerCase(), q.toLowerCase()];
  switch (choices.q_match) {
    case 'substring':
      return hay.includes(needle);
    case 'prefix':
      return hay.startsWith(needle);
    case 'word':
      return hay.split(/[^\p{L}\p{N}]+/u).includes(needle);
  }
}
