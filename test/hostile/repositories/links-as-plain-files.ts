import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('links-as-plain-files');
