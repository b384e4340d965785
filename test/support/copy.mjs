import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with a copy of these entries of the repository and a link to its packages, alone in a temporary folder that this process removes. */
export function copyOf(entries) {
  const place = mkdtempSync(join(tmpdir(), 'tradeform-copy-'));
  process.on('exit', () => rmSync(place, { recursive: true, force: true }));
  process.on('SIGINT', () => process.exit(130));
  const copy = join(place, 'copy');
  for (const entry of entries) cpSync(entry, join(copy, entry), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
