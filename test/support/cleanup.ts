import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const left: (() => unknown)[] = [];

/** Is done after the test that runs, or after the last one of its file where it was made for several; the last one first. */
export function afterwards(cleanUp: () => unknown): void {
  left.push(cleanUp);
}

/** A temporary folder, which goes by itself. */
export function temporaryFolder(name = 'test'): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `tradeform-${name}-`)));
  afterwards(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** How much there is to clean up. */
export function leftovers(): number {
  return left.length;
}

export async function cleanUp(downTo: number): Promise<void> {
  while (left.length > downTo) await left.pop()?.();
}
