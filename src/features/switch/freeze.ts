import { randomUUID } from 'node:crypto';
import { createFreeze } from '../../act/create-freeze.ts';
import { type Failure, refusal } from '../../act/outcome.ts';
import { Interrupted, Requests } from '../../act/requests.ts';
import { orStopped } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { switchFreeze } from '../../model/freeze.ts';
import type { OperatorContext, OperatorOptions } from './context.ts';

/** True for the choice of everything, which freezes the account and ends the freeze. */
export function isEverything({ all, kind = [], label = [] }: OperatorOptions): boolean {
  return all === true && kind.length + label.length === 0;
}

/**
 * Sets a label that freezes the account. Undefined if it was created, else why not. Never fails, because the pause goes on in any case:
 * a service that asks this request to slow down holds up no pause.
 */
export async function freezeAccount(
  { session, project }: OperatorContext,
  io: Io,
): Promise<Failure | undefined> {
  const name = switchFreeze(project.project, randomUUID().slice(0, 6));
  try {
    const outcome = await createFreeze(name, urgent(session, io));
    return outcome.type === 'ok' ? undefined : refusal('The label', outcome);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    return { kind: 'interrupted', text: 'Interrupted.' };
  }
}

/** Whether the account is frozen at the end of the pause: the labels are read once more, as an apply reads them. */
export async function frozenAtLast(
  failure: Failure | undefined,
  { session }: OperatorContext,
  io: Io,
): Promise<Diagnostic> {
  // Loaded only now, so that no pause waits for it.
  const { readFreezes } = await import('../../act/freeze.ts');
  const { soft } = io.stop;
  const read = soft.aborted ? undefined : await orStopped(readFreezes(urgent(session, io), false), soft);
  const [label] = read?.labels ?? [];
  if (label !== undefined) return frozen(label.name);
  if (failure !== undefined) return notFrozen(failure.text);
  if (read?.failure === undefined && read !== undefined)
    return notFrozen('somebody deleted the label, for example with `resume --all`.');
  return warning('frozen', 'a label freezes the account; it was not read again');
}

function frozen(name: string): Diagnostic {
  return warning(
    'frozen',
    `the label ${JSON.stringify(name)} freezes the account: no apply starts or raises anything while it is there`,
    '`tradeform resume --all` deletes the labels that `pause --all` sets for this project; `pause --no-freeze` sets none.',
  );
}

function notFrozen(why: string): Diagnostic {
  return warning(
    'not-frozen',
    `the account is not frozen, and an apply may start other tasks: ${why}`,
    'Cancel an apply that runs now. A label "freeze" that somebody sets in the web application freezes the account.',
  );
}

/** Requests for which others wait. */
export function urgent({ api, clock }: OperatorContext['session'], io: Io): Requests {
  return new Requests(api, clock, io.stop.hard, () => true);
}
