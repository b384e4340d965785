import { expect } from 'vitest';

/**
 * Text that differs from run to run: times of day, ids, keys, digests and ports. Each may contain a short run of digits by chance:
 * `00.961Z` contains `0.9`.
 */
const BY_CHANCE =
  /\d{4}-\d\d-\d\dT[\d:.]+Z|\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b[\da-f]{12,}\b|\/\/(?:127\.0\.0\.1|localhost):\d+/g;

/** Fails if the text contains one of the traces: a long one anywhere, a short one outside text that differs from run to run. */
export function expectNoTrace(text: string, traces: readonly string[], name = 'the output'): void {
  const kept = text.replace(BY_CHANCE, '…');
  for (const trace of traces)
    expect(trace.length < 12 ? kept : text, `${name} has ${trace}`).not.toContain(trace);
}
