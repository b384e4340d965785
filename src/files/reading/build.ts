import { join } from 'node:path';

/** Put in by the bundler: a hash of everything that reading rests on. Not there when the source runs unbundled. */
declare const TRADEFORM_BUILD: string | undefined;

export const BUILD: string | undefined = typeof TRADEFORM_BUILD === 'string' ? TRADEFORM_BUILD : undefined;

/** Put in by the bundler: the folder of the built program. */
declare const TRADEFORM_FOLDER: string | undefined;

/** A file of the built program; undefined when the source runs unbundled. */
export function builtFile(name: string): string | undefined {
  return typeof TRADEFORM_FOLDER === 'string' ? join(TRADEFORM_FOLDER, name) : undefined;
}
