import type { Mutant, Report } from './table.mjs';

export declare const MISSED: readonly string[];
export declare function partOf(name: string, parts: number): number;
export declare function inRounds(
  files: readonly { readonly path: string; readonly lines: number }[],
): readonly (readonly string[])[];
export declare function matcher(pattern: string): (path: string) => boolean;
export declare function together<R extends Report>(reports: readonly R[]): R;
export declare function parsePart(
  text: string,
): { readonly part: number; readonly parts: number } | undefined;
export declare function nameOf(file: string, mutant: Mutant, first?: number): string;
export declare function missedIn(report: Report): readonly string[];
export declare function merged<R extends Report>(earlier: R, later: Report): R;
