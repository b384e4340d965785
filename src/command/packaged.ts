import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from '../diagnostics/diagnostic.ts';

/**
 * A text of the package that runs: installed, in an image or a checkout. `name`: its path in there, put together from names
 * that tradeform knows; never from what a user typed. Fails with exit 3 where the installation lacks it.
 */
export function readPackaged(name: string): string {
  const file = join(packageFolder(dirname(fileURLToPath(import.meta.url))), name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const message = `this installation of tradeform lacks its documentation: ${file} cannot be read`;
    throw CommandFailure.of(3, 'file-unreadable', message);
  }
}

/** The nearest folder with a package.json: the program’s code lies in one folder below it or in several. */
function packageFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageFolder(above);
}
