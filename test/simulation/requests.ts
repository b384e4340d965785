import type { HttpRequest } from '../../src/core/ports/transport.ts';

const LISTS = /^\/(?:[a-z-]+\/(?:configs|templates)|labels)(?:\?.*)?$/;

export function isList({ method, path }: HttpRequest): boolean {
  return method === 'GET' && LISTS.test(path);
}

export function isWrite({ method }: HttpRequest): boolean {
  return method !== 'GET';
}

/** `…/configs/<id>` and `…/configs/<id>/pause`: the id. */
export function subjectOf({ path }: HttpRequest): string | undefined {
  return /\/(?:configs|templates)\/([0-9a-f-]{36})(?:\/(?:pause|resume))?$/.exec(path)?.[1];
}
