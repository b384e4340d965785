export interface Baseline {
  readonly codes: string;
  readonly exits: string;
  readonly marker: string;
  readonly roots: Readonly<Record<string, string>>;
  readonly shapes: Readonly<Record<string, unknown>>;
}
export function currentBaseline(change?: (text: string) => string): Baseline;
export function readBaseline(): Baseline;
export function broken(earlier: Baseline, later: Baseline): readonly string[];
