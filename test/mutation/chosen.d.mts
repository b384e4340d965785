import type { Report } from './table.mjs';

export declare function inRounds(
  files: readonly { readonly path: string; readonly lines: number }[],
): readonly (readonly string[])[];
export declare function matcher(pattern: string): (path: string) => boolean;
export declare function together<R extends Report>(reports: readonly R[]): R;
export declare function changedLines(diff: string): ReadonlyMap<string, readonly string[]>;
