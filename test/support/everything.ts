import type { TaskSelection } from '../../src/core/plan/identity/known-task.ts';

/** All tasks of the project. */
export const EVERYTHING: TaskSelection = { names: [], kinds: [], labels: [], includeUnmanaged: false };
