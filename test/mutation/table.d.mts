export interface Mutant {
  readonly location: {
    readonly start: { readonly line: number; readonly column: number };
    readonly end: { readonly line: number; readonly column: number };
  };
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
}

export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

export declare function table(report: Report): string;
export declare const MISSED: readonly string[];
export declare const NOTICED: readonly string[];
