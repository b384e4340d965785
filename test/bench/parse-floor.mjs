// The floor of validating: every file read and parsed by the `yaml` package, and nothing done with what came out.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const [folder] = process.argv.slice(2);
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  // Labels are several documents in one file; the one file is not worth a reader of streams.
  if (entry.isFile() && entry.name !== 'labels.yaml')
    parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}
