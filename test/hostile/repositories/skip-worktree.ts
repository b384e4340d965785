import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('skip-worktree');
