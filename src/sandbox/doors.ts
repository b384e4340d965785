import type { Edit } from '../model/generated/sandbox.ts';
import type { Choices } from './choices.ts';
import type { Change, StoredTask } from './records.ts';
import { notFound } from './refusal.ts';
import type { SandboxState } from './state.ts';

/**
 * Events outside the interface: trades, the web application, other people. Each door reads the state and returns the changes.
 * An unknown id throws `not_found`.
 */

export interface Fired {
  /** False for a paused task, which does not trade. */
  readonly traded: boolean;
  /** True if `buy_once` switched the task off. */
  readonly deactivated: boolean;
}

/** Triggers a trade. With `buy_once` it is the first one, and it deactivates the task. */
export function fireTask(
  state: SandboxState,
  id: string,
  env: { readonly now: number; readonly choices: Choices },
): { readonly fired: Fired; readonly changes: readonly Change[] } {
  const task = taskOf(state, id);
  const deactivated = task.is_active && task.config.buy_once === true;
  const fields: Partial<StoredTask> = {
    is_active: false,
    ...(env.choices.fire_version === 'bumped' ? { version: task.version + env.choices.version_step } : {}),
    ...(env.choices.fire_updated_at === 'touched' ? { updated_at: env.now } : {}),
  };
  return {
    fired: { traded: task.is_active, deactivated },
    changes: deactivated ? [{ type: 'task-fields', id, fields }] : [],
  };
}

export type StoredEdit = Omit<Edit, 'id'>;

/** Changes what is stored without any check: legacy snapshots, manual edits, another client. */
export function editTask(
  state: SandboxState,
  id: string,
  edit: StoredEdit,
  env: { readonly now: number },
): readonly Change[] {
  const task = taskOf(state, id);
  const { config, merge, bump, ...plain } = edit;
  const merged = Object.entries({ ...(config ?? task.config), ...merge }).filter(
    ([key]) => merge?.[key] !== null,
  );
  const fields: Partial<StoredTask> = {
    ...plain,
    config: Object.fromEntries(merged),
    ...(bump === false ? {} : { version: task.version + 1, updated_at: env.now }),
  };
  return [{ type: 'task-fields', id, fields }];
}

/** Rotation: the former secret becomes invalid at once, and `token_version` increases (interface, "Authentication"). */
export function rotateToken(state: SandboxState, prefix: string, secret: string): readonly Change[] {
  const token = state.tokens.get(prefix.replace(/^svc_live_/, '').slice(0, 8));
  if (token === undefined) throw notFound('The token');
  return [{ type: 'token', record: { ...token, secret, version: token.version + 1 } }];
}

function taskOf(state: SandboxState, id: string): StoredTask {
  const task = state.tasks.get(id);
  if (task === undefined) throw notFound('The task');
  return task;
}
