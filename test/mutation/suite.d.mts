export declare const SUITE: Readonly<Record<string, readonly string[]>>;
export declare const FIRST: readonly string[];
export declare const LAST: readonly string[];
export declare const BUDGET: Readonly<Record<string, string>>;
