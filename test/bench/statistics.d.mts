export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function median(values: readonly number[]): number;
export function ratios(measured: readonly number[], floor: readonly number[]): Spread;
