import type { ChangeResult } from '../model/generated/report.ts';
import type { Outcome } from '../ports/api.ts';

export type ReportedError = NonNullable<ChangeResult['error']>;

/** Why a step did not lead on. */
export interface Failure {
  readonly kind: /** The service said no, or the request certainly never reached it. */
    | 'refused'
    /** The service stored something else than was sent. */
    | 'echo'
    /** Somebody else was at it. */
    | 'moved'
    /** Somebody stopped the task. */
    | 'stopped'
    | 'gone'
    /** An answer was lost, or not waited for, and the state could not be read. */
    | 'unknown'
    /** An operation of another chain that this one needs was not done. */
    | 'needs'
    /** Stopped between two requests. */
    | 'interrupted'
    /** A bug in tradeform. */
    | 'internal';
  /** One sentence. */
  readonly text: string;
  readonly error?: ReportedError;
}

const CREDENTIALS: ReadonlySet<string> = new Set([
  'invalid_api_token',
  'insufficient_scope',
  'ip_not_allowed',
]);

/** The credential is refused: no other write will fare better. */
export function isCredentialError(code: string): boolean {
  return CREDENTIALS.has(code);
}

/** What an outcome that is no success says, for the report. */
export function reportedError(outcome: Outcome): ReportedError {
  switch (outcome.type) {
    case 'error': {
      const { code, status, message, fields } = outcome;
      return { code, status, message, fields: fields.map(({ path, reason }) => ({ path, reason })) };
    }
    case 'ok':
      return {
        code: 'unreadable',
        status: outcome.status,
        message: 'the answer could not be read',
        fields: [],
      };
    case 'unsent':
    case 'lost':
      return { code: outcome.type, status: null, message: outcome.detail, fields: [] };
  }
}

/** A refusal in one sentence; `doing` as in "The pause". */
export function refusal(doing: string, outcome: Outcome): Failure {
  const error = reportedError(outcome);
  const fields = error.fields.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  const more = error.fields.length >= 20 ? '; there may be more' : '';
  const detail = fields === '' ? error.message : `${fields}${more}`;
  const what = outcome.type === 'unsent' ? 'could not be sent' : `was refused (${error.code})`;
  // What the service says is a sentence already, as a rule.
  const said = detail === '' ? '.' : `: ${detail.replace(/\.$/, '')}.`;
  return { kind: 'refused', text: `${doing} ${what}${said}`, error };
}

/** A write that names a label was refused with `not_found`, and whatever else it names is there. */
export function labelGone(id: string, outcome: Outcome): Failure {
  return { ...refusal('', outcome), text: `The label ${id} is gone from the service.` };
}

export function unreadable(doing: string, outcome: Outcome): Failure {
  const error = reportedError(outcome);
  return {
    kind: 'unknown',
    text: `Whether ${doing} was carried out is not known: no usable answer came, and the resource could not be read (${error.message}).`,
    error,
  };
}
