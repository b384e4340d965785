import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('sparse-partial-clone-of-links');
