import type { Report, SwitchedTask } from './generated/report.ts';
import type { ProjectNames } from './marker.ts';

/** The tasks with which the switch did this, or would do it. */
export function acted(
  changes: readonly SwitchedTask[],
  action: SwitchedTask['actions'][number],
): readonly SwitchedTask[] {
  return changes.filter(
    ({ actions, status }) => actions.includes(action) && (status === 'done' || status === 'planned'),
  );
}

/** A pause of everything, which freezes. */
export function isPauseOfAll({ command, options }: Report['record']): boolean {
  const narrows = options.some((option) => /^--(?:kind|label) /.test(option));
  return command === 'pause' && options.includes('--all') && !narrows;
}

/** Tasks of a pause that still run, or may. */
export function openIn(changes: readonly SwitchedTask[]): readonly SwitchedTask[] {
  return changes.filter(
    ({ actions, status }) => actions.includes('stop') && (status === 'failed' || status === 'unknown'),
  );
}

/** What `tradeform pause` knows about the project whose tasks it stops; it works without manifests. */
export interface OffPolicy extends ProjectNames {
  /** `stopped_tasks`; undefined without a project file: then the worse case is assumed. */
  readonly stoppedTasks: 'hold' | 'resume' | undefined;
}

/** What the pauses of a command stopped, by kind and id: the version after the pause, or after `@!`. `marked`: `@!` was written. */
export type Stops = Map<string, { readonly version: number; readonly marked: boolean }>;
