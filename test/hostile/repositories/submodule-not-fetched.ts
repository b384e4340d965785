import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('submodule-not-fetched');
