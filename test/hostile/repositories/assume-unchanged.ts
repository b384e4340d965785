import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('assume-unchanged');
