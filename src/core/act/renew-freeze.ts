import { switchFreeze } from '../model/freeze.ts';
import type { Outcome } from '../ports/api.ts';
import { createFreeze, type FreezeIds } from './create-freeze.ts';
import { readFreezes } from './freeze.ts';
import { runLabelStep } from './label-and-template-step.ts';
import { type Failure, refusal } from './outcome.ts';
import type { Requests } from './requests.ts';

/**
 * Where a pause finds the label of an earlier one, it sets a new label, because a resume at work deletes by its id the one that it
 * has found. Until the new one is there, the found one freezes under another name: the account is never without. `refused`: what
 * the service answered to the create. Undefined if the label is one that was created since.
 */
export async function renewFreeze(
  project: string | undefined,
  refused: Outcome,
  requests: Requests,
  ids: FreezeIds,
): Promise<Failure | undefined> {
  const [name, former] = [switchFreeze(project), switchFreeze(project, 'paused')];
  const { labels } = await readFreezes(requests, true);
  const found = labels.find((label) => label.name === name);
  if (found === undefined) return refusal('The label', refused);
  // Of a pause that was killed here.
  const killed = labels.find((label) => label.name === former);
  ids.found.push(...[found, killed].flatMap((label) => label?.id ?? []));
  if (killed !== undefined) await runLabelStep(killed, null, requests);
  const renamed = await runLabelStep(found, { name: former }, requests);
  const isAway =
    renamed.type === 'done' || renamed.failure.kind === 'gone' || renamed.failure.kind === 'moved';
  if (!isAway) return renamed.failure;
  const created = await createFreeze(name, requests, ids);
  // That of another pause which came in between.
  const isNew = created.type === 'ok' || (created.type === 'error' && created.code === 'label_name_exists');
  if (renamed.type === 'done')
    await runLabelStep({ ...found, name: former }, isNew ? null : { name }, requests);
  return isNew ? undefined : refusal('The new label', created);
}
