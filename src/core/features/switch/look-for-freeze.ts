import type { FreezeIds } from '../../act/create-freeze.ts';
import { readFreezes } from '../../act/freeze.ts';
import type { Failure } from '../../act/outcome.ts';
import type { Requests } from '../../act/requests.ts';
import { orStopped } from '../../command/interruption.ts';
import { type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { switchFreeze, switchFreezeOf } from '../../model/freeze.ts';

/**
 * `frozen` if the label of a pause is there, or that of a person, which no resume deletes; else `not-frozen`, an error. `failure`: why
 * the pause did not set its label.
 */
export async function lookForFreeze(
  project: string | undefined,
  failure: Failure | undefined,
  requests: Requests,
  soft: AbortSignal,
  ids: FreezeIds,
): Promise<Diagnostic> {
  if (soft.aborted) return notFrozen('the labels were not read again.');
  const read = await orStopped(readFreezes(requests, false), soft);
  const name = switchFreeze(project);
  const own = read?.labels.find((one) => one.name === name);
  if (own !== undefined) ids.found.push(own.id);
  const label =
    read?.labels.find((one) => switchFreezeOf(one) === undefined) ??
    (failure === undefined ? own : undefined);
  if (label !== undefined) return frozen(label.name, project);
  const gone = 'somebody deleted the label, for example with `resume --all`.';
  const why = failure?.text ?? read?.failure?.text ?? gone;
  const isFull = failure?.error?.code === 'quota_exceeded';
  const former = own && `${JSON.stringify(name)} of an earlier pause stands, and a resume may delete it: `;
  return notFrozen(`${former ?? ''}${why}`, isFull);
}

/** The ids of the labels under which a pause stops tasks without a mark. Undefined if the labels cannot be read. */
export async function foundFreezes(requests: Requests, soft: AbortSignal): Promise<FreezeIds | undefined> {
  const read = await orStopped(readFreezes(requests, true), soft);
  if (read === undefined || read.failure !== undefined) return undefined;
  return { set: [], found: read.labels.filter((one) => switchFreezeOf(one) === '').map(({ id }) => id) };
}

function frozen(name: string, project: string | undefined): Diagnostic {
  const [what, scope] =
    project === undefined
      ? ['the account', '--include-unmanaged']
      : [`project ${project}`, `--project-name ${project}`];
  return warning(
    'frozen',
    `the label ${JSON.stringify(name)} freezes ${what}`,
    switchFreezeOf({ name }) === undefined
      ? 'Somebody set this label: delete it in the web application when the reason is gone.'
      : `To start them again and end the freeze: \`tradeform resume --all ${scope}\`.`,
  );
}

function notFrozen(why: string, isFull = false): Diagnostic {
  const way = isFull
    ? 'Delete a label that nobody needs, and run the command again.'
    : 'A label "freeze" that somebody sets in the web application freezes the account.';
  return problem(
    'not-frozen',
    `no freeze is proven, and an apply may start other tasks: ${why}`,
    `Cancel an apply that runs now. ${way}`,
  );
}
