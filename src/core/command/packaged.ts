import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailure } from '../diagnostics/diagnostic.ts';

/**
 * A text of the running package: installed, in an image or in a checkout. `name` is its path in the package, made from names
 * that tradeform knows, never from user input. Fails with exit 3 if the installation lacks it.
 */
export function readPackaged(name: string): string {
  const file = packagedFile(name);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const message = `this installation of tradeform lacks its documentation: ${file} cannot be read`;
    throw CommandFailure.of(3, 'file-unreadable', message);
  }
}

export function packagedFile(name: string): string {
  return join(packageFolder(dirname(fileURLToPath(import.meta.url))), name);
}

/** The nearest folder with a package.json. The code may be one or more folders below it. */
function packageFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageFolder(above);
}
