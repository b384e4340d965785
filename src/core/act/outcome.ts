import type { ChangeResult } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import type { LiveResource } from '../model/resource.ts';
import type { Outcome } from '../ports/api.ts';
import type { Reading } from './decide.ts';

export type ReportedError = NonNullable<ChangeResult['error']>;

/** Result of one step: of one write with its retries, or of one operation of a plan, on a resource of any kind. */
export type StepOutcome<R extends LiveResource = LiveResource> = Done<R> | Failed<R>;

/** The resource is as the step should leave it, or the chain may continue as if it were. */
export interface Done<R extends LiveResource = LiveResource> {
  readonly type: 'done';
  /** Undefined after a delete, and if nothing was sent. */
  readonly resource: R | undefined;
  readonly how?: /** Nothing had to be sent. */
    | 'already'
    /** Created, and somebody changed note or label since. */
    | 'edited'
    /** It existed already, and everything else is as the whole chain should leave it, too. */
    | 'complete'
    /** The service refuses the mark because it validates a legacy config again: the pause follows without a mark. */
    | 'left-out';
  readonly text?: string;
}

export interface Failed<R extends LiveResource = LiveResource> {
  readonly type: 'failed';
  readonly failure: Failure<R>;
}

export type Failure<R extends LiveResource = LiveResource> = Why<R> & {
  /** One sentence. */
  readonly text: string;
  readonly error?: ReportedError;
};

type Why<R extends LiveResource> =
  /**
   * `refused`: the service said no, or the request certainly never reached it. `frozen`: a label freezes the account, and nothing
   * starts. `unchanged`: a reading after the last answer showed the resource as it was before the step.
   */
  | { readonly kind: 'refused' | 'frozen'; readonly unchanged?: true }
  /** The service stored `fields` with another value than was sent. */
  | { readonly kind: 'echo'; readonly resource: R; readonly fields: readonly string[] }
  /** Somebody else made a write that ends this chain: to the task of the step, as read, or to what a create has found. */
  | { readonly kind: 'moved'; readonly reading?: Reading<R>; readonly foundId?: string }
  | { readonly kind: 'stopped'; readonly reading: Reading<R> }
  /** Somebody deleted it; the answer was lost, or not awaited, and the state could not be read. */
  | { readonly kind: 'gone' | 'unknown' }
  /** An operation of another chain that this one needs was not done; stopped between two requests; a bug in tradeform. */
  | { readonly kind: 'needs' | 'interrupted' | 'internal' };

/** The task of the step as it was found, if somebody else wrote to it. */
export function readingOf<R extends LiveResource>(failure: Failure<R>): Reading<R> | undefined {
  return failure.kind === 'moved' || failure.kind === 'stopped' ? failure.reading : undefined;
}

export const GONE: Failure<never> = { kind: 'gone', text: 'Somebody deleted it in the meantime.' };

export function failed<R extends LiveResource = never>(failure: Failure<R>): Failed<R> {
  return { type: 'failed', failure };
}

export function echoed<R extends LiveResource>(resource: R, fields: readonly string[]): Failed<R> {
  const text = `The service stored a value different from the one sent, in ${fields.join(', ')}.`;
  return failed<R>({ kind: 'echo', text, resource, fields });
}

/** An outcome without success, as the report shows it. */
export function reportedError(outcome: Outcome): ReportedError {
  switch (outcome.type) {
    case 'error': {
      const { code, status, message, requestId } = outcome;
      const fields = outcome.fields.map(({ path, reason }) => ({ path, reason }));
      return { code, status, message, fields, ...given({ request_id: requestId }) };
    }
    case 'ok':
      return {
        code: 'unreadable',
        status: outcome.status,
        message: 'the answer could not be read',
        fields: [],
      };
    case 'vetoed':
      return { code: outcome.code, status: null, message: outcome.message, fields: [] };
    case 'unsent':
    case 'lost':
      return { code: outcome.type, status: null, message: outcome.detail, fields: [] };
  }
}

const OWN: ReadonlySet<Failure['kind']> = new Set(['moved', 'stopped', 'gone', 'echo']);

/** The error of a failure that is no answer of the service, where somebody else or the stored value ended the change. */
export function ownError({ kind, text }: Failure): ReportedError | undefined {
  return OWN.has(kind) ? { code: kind, status: null, message: text, fields: [] } : undefined;
}

/** A refusal in one sentence; `doing` as in "The pause". */
export function refusal(doing: string, outcome: Outcome): Failure<never> {
  const error = reportedError(outcome);
  if (outcome.type === 'vetoed')
    return { kind: outcome.code === 'frozen' ? 'frozen' : 'refused', text: outcome.message, error };
  const fields = error.fields.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
  const more = error.fields.length >= 20 ? '; there may be more' : '';
  const detail = fields === '' ? error.message : `${fields}${more}`;
  const { type } = outcome;
  const what =
    type === 'unsent' ? 'could not be sent' : type === 'lost' ? 'failed' : `was refused (${error.code})`;
  // The message of the service is usually a sentence already.
  const said = detail === '' ? '.' : `: ${detail.replace(/\.$/, '')}.`;
  return { kind: 'refused', text: `${doing} ${what}${said}`, error };
}

/** A write with a label was refused with `not_found`, and everything else that it names exists. */
export function labelGone(id: string, outcome: Outcome): Failure<never> {
  return { ...refusal('', outcome), text: `The label ${id} no longer exists on the service.` };
}

/** `answer`: of the write, whose result the reading `look` should have shown; `doing` as in "The pause". */
export function unreadable(doing: string, answer: Outcome, look: Outcome): Failure<never> {
  const error = reportedError(look);
  const said = answer.type === 'error' ? `the service answered ${answer.code}` : 'no usable answer came';
  return {
    kind: 'unknown',
    text: `It is unknown whether ${doing.toLowerCase()} was carried out: ${said}, and the resource could not be read (${error.message}).`,
    error,
  };
}
