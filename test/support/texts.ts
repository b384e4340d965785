import type { Texts } from '../../src/core/diagnostics/diagnostic.ts';

/** All texts, by their names. */
export function textsIn(texts: Texts): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries([...texts.keys()].map((file) => [file, texts.get(file)]));
}
