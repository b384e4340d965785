import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './program.ts';

const TEXT = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
/** Sections whose sentences are promises, or the exceptions to them. */
const PROMISES = ['Files of a repository are data', 'The token', 'Tasks', 'What others get from us'];
const NOTES = [...TEXT.matchAll(/^\[\^(\w+)\]: `([^`]+)`: "(.+)"$/gm)].map(
  ([, name = '', file = '', title = '']) => ({
    name,
    file,
    title,
  }),
);

describe('SECURITY.md', () => {
  test('each test that it names exists under that title', () => {
    expect(NOTES.length).toBeGreaterThan(20);
    for (const { name, file, title } of NOTES) {
      const path = join(ROOT, file);
      expect(existsSync(path), `[^${name}]: ${file}`).toBe(true);
      // As the first argument of a test or of a group of them, in quotes of any kind.
      const called = [`'${title}'`, `\`${title}\``, `"${title}"`].map((quoted) =>
        readFileSync(path, 'utf8').includes(quoted),
      );
      expect(called, `[^${name}]: ${file} has a test "${title}"`).toContain(true);
    }
  });

  test('each promise names a test, and each listed test belongs to a promise', () => {
    const used = [...TEXT.matchAll(/\[\^(\w+)\](?!:)/g)].map(([, name]) => name);
    expect([...new Set(used)].sort()).toEqual(NOTES.map(({ name }) => name).sort());
    for (const title of PROMISES) {
      const section = new RegExp(`^## ${title}\n\n([\\s\\S]*?)\n\n##`, 'm').exec(TEXT)?.[1] ?? '';
      const items = section.split(/^- /m).filter((item) => item.trim() !== '');
      expect(items.length, title).toBeGreaterThan(2);
      for (const item of items) expect(item, 'a promise that no test holds').toMatch(/\[\^\w+\]/);
    }
  });
});
