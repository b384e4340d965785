import type { DesiredTask } from '../../desired/state.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { jsonEqual } from '../../model/json.ts';
import type { TaskKind } from '../../model/kind.ts';
import { currentConfig } from '../../model/shape.ts';
import type { Orphan } from './task-match.ts';

/** With more removals than this, it is not a rename; comparing all pairs would take long. */
const MOST_ORPHANS = 50;

/** Warns if a created task looks like a renamed one: that would stop one task and start another. */
export function renameWarnings(
  kind: TaskKind,
  desired: DesiredTask,
  orphans: readonly Orphan[],
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
      ...(place === undefined
        ? {}
        : { location: { file: place.file, line: place.line, column: place.column } }),
    });
  }
  const twin = orphans
    .slice(0, MOST_ORPHANS)
    .find((orphan) => orphan.type === 'single' && isTwin(kind, desired, orphan.owned.task));
  if (twin !== undefined) {
    warnings.push({
      severity: 'warning',
      code: 'looks-like-rename',
      address,
      message: `${address} is created; ${kind.collection}/${twin.name}, whose manifest was removed, has the same target and config.`,
      hint: `If this is a rename, set metadata.previous_name: ${twin.name}.`,
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
