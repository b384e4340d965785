export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Minimum, median and maximum. */
export function spread(values) {
  return { min: Math.min(...values), median: median(values), max: Math.max(...values) };
}

/** The ratios of runs that were taken one after the other: each with the floor right before it. */
export function ratios(measured, floor) {
  return spread(measured.map((value, index) => value / floor[index]));
}
