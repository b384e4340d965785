import { parseArgs } from 'node:util';

/** The options of a script of this repository. For others than these it says which in one line, and ends with 3. */
export function scriptOptions(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    process.stderr.write(`${error.message}\n`);
    return process.exit(3);
  }
}
