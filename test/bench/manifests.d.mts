import type { Shape } from './account.mjs';

export function writeProject(
  folder: string,
  settings: { readonly tasks: number; readonly labels: number; readonly changed?: number } & Shape,
): readonly string[];
