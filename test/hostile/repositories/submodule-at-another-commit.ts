import { repositoryOf } from '../checkouts.ts';

export const repository = repositoryOf('submodule-at-another-commit');
