import type { DesiredTask } from '../../desired/state.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { jsonEqual } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import { currentConfig } from '../../model/shape.ts';
import type { NeverNamed } from './never-named.ts';
import type { Orphan } from './task-match.ts';

/** With more removals than this, it is not a rename; comparing all pairs would take long. Tasks that keep trading are always compared. */
const MOST_ORPHANS = 50;

/**
 * Warns if a created task looks like a renamed one: that would stop one task and start another. It is an error if the former task
 * keeps trading beside the new one, because nobody approves that it is deleted: both would buy.
 */
export function renameWarnings(
  kind: TaskKind,
  desired: DesiredTask,
  orphans: readonly Orphan[],
  never: NeverNamed | undefined,
): readonly Diagnostic[] {
  const { address, previousName } = desired;
  const warnings: Diagnostic[] = [];
  if (previousName !== undefined) {
    const place = desired.origin('metadata.previous_name');
    warnings.push({
      severity: 'warning',
      code: 'previous-name-unknown',
      address,
      message: `previous_name of ${address} is ${previousName}, but no owned task has that name: ${address} is created.`,
      ...(place === undefined ? {} : { location: { ...place } }),
    });
  }
  const twins = orphans.flatMap((orphan, index) => {
    const former = `${kind.collection}/${orphan.name}`;
    if (orphan.type !== 'single') return [];
    const isLeft = never?.unattended === true && never.addresses.has(former);
    if ((index >= MOST_ORPHANS && !isLeft) || !isTwin(kind, desired, orphan.owned.task)) return [];
    const both = isLeft && orphan.owned.task.is_active && desired.state === 'active';
    return [{ name: orphan.name, former, both }];
  });
  const twin = twins.find(({ both }) => both) ?? twins[0];
  if (twin !== undefined) {
    const { name, former, both } = twin;
    warnings.push({
      severity: both ? 'error' : 'warning',
      code: 'looks-like-rename',
      address,
      message: `${address} is created; ${former}, whose manifest was removed, has the same target and config.${both ? ' It keeps trading, because nobody approves this plan: both would buy.' : ''}`,
      hint: `If this is a rename, set metadata.previous_name: ${name}.${both ? ' If not, approve the plan, which deletes the former task.' : ''}`,
    });
  }
  return warnings;
}

function isTwin(
  kind: TaskKind,
  desired: DesiredTask,
  task: Pick<DesiredTask, 'target_wallet' | 'config'>,
): boolean {
  return (
    task.target_wallet === desired.target_wallet &&
    jsonEqual(currentConfig(kind.config, task.config), currentConfig(kind.config, desired.config))
  );
}
