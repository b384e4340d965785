import type { ErrorCode } from '../core/model/generated/sandbox.ts';
import type { Choices } from './choices.ts';

/** `path` is dot-separated; `$` is the whole body. `reason` is one of a fixed set of words. */
export interface FieldError {
  readonly path: string;
  readonly reason: string;
}

/** The maximum number of `error.fields` (interface, "Limits"). */
const MAX_FIELDS = 20;

/** The service refuses the request. Thrown anywhere inside `handle`, and caught only there. */
export class Refused extends Error {
  readonly fields: readonly FieldError[];

  constructor(
    readonly code: ErrorCode,
    message: string,
    fields: readonly FieldError[] = [],
  ) {
    super(message);
    this.name = 'Refused';
    this.fields = fields.slice(0, MAX_FIELDS);
  }
}

/** The documented statuses, and the chosen ones for all other codes. */
export function statusOf(code: ErrorCode, choices: Choices): number {
  switch (code) {
    case 'not_found':
      return 404;
    case 'rate_limit_exceeded':
      return 429;
    case 'service_unavailable':
      return 503;
    default:
      return choices[`status_${code}`];
  }
}

/** The field is named only if the code is that of a validation. */
export function refusedField(code: ErrorCode, message: string, path: string, reason: string): Refused {
  return new Refused(code, message, code === 'validation_error' ? [{ path, reason }] : []);
}

export function notFound(what: string): Refused {
  return new Refused('not_found', `${what} does not exist.`);
}
