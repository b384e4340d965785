import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('sparse-checkout-of-links');
