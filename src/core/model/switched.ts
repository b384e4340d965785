import type { SwitchedTask } from './generated/report.ts';

/** The tasks with which the switch did this, or would do it. */
export function acted(
  changes: readonly SwitchedTask[],
  action: SwitchedTask['actions'][number],
): readonly SwitchedTask[] {
  return changes.filter(
    ({ actions, status }) => actions.includes(action) && (status === 'done' || status === 'planned'),
  );
}

/** Tasks of a pause that still run, or may. */
export function openIn(changes: readonly SwitchedTask[]): readonly SwitchedTask[] {
  return changes.filter(
    ({ actions, status }) => actions.includes('stop') && (status === 'failed' || status === 'unknown'),
  );
}
