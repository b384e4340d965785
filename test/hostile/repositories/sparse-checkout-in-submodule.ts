import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('sparse-checkout-in-submodule');
