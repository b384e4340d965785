import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tradeform } from '../cmd/run.ts';

/** A disk of Windows with these folders and files, of which no name depends on case. */
const DISK = [
  'C:\\desks\\one\\tradeform.yaml',
  'C:\\desks\\Two\\tradeform.yaml',
  'C:\\desks\\empty\\x',
  '\\\\nas\\desks\\three\\tradeform.yaml',
];
const under = (path: string) =>
  DISK.filter((file) => `${file}\\`.toLowerCase().startsWith(`${path.replace(/\\$/, '')}\\`.toLowerCase()));
const statSync = (path: string) => {
  const [found] = under(path);
  return found === undefined ? undefined : { isDirectory: () => found.toLowerCase() !== path.toLowerCase() };
};
const files = {
  statSync,
  lstatSync: statSync,
  readdirSync: (path: string) => [
    ...new Set(under(path).map((file) => file.slice(path.replace(/\\$/, '').length + 1).split('\\')[0])),
  ],
};

describe('on Windows', () => {
  let location: typeof import('../../src/core/project/door/location.ts');
  let fleet: typeof import('../../src/kit/fleet/fleet-file.ts');
  beforeAll(async () => {
    vi.resetModules();
    vi.doMock('node:path', () => ({ ...win32, default: win32 }));
    vi.doMock('node:fs', async (original) => ({ ...(await original<object>()), ...files }));
    location = await import('../../src/core/project/door/location.ts');
    fleet = await import('../../src/kit/fleet/fleet-file.ts');
  });
  afterAll(() => {
    vi.doUnmock('node:path');
    vi.doUnmock('node:fs');
    vi.resetModules();
  });

  it.each([
    ['C:\\desk', true],
    ['C:\\desk\\a\\b', true],
    ['c:\\DESK\\a', true],
    ['C:\\desk\\..name', true],
    ['C:\\desk-2\\a', false],
    ['C:\\', false],
    ['D:\\desk\\a', false],
    ['\\\\nas\\desk\\a', false],
  ])('%s is inside of C:\\desk: %s', (path, inside) => {
    expect(location.isInside('C:\\desk', path)).toBe(inside);
  });

  it.each([
    ['C:\\desks\\*', ['C:\\desks\\Two', 'C:\\desks\\one']],
    ['C:\\desks\\one', ['C:\\desks\\one']],
    ['c:\\DESKS\\t*', []],
    ['\\\\nas\\desks\\*', ['\\\\nas\\desks\\three']],
    ['D:\\desks\\*', []],
  ])('%s finds the projects of a fleet on that drive', (pattern, folders) => {
    expect(fleet.projectFolders(pattern)).toEqual({ folders, unreadable: [] });
  });
});

it('line ends of Windows, and a byte order mark, make no other project', async () => {
  const folder = join(tmpdir(), 'line-ends');
  cpSync(join(import.meta.dirname, '../../examples/quickstart'), folder, { recursive: true });
  const digest = async () => {
    const { code, stdout } = await tradeform(['validate', '-o', 'json'], { cwd: folder });
    const { manifests, manifests_digest, diagnostics } = JSON.parse(stdout);
    return { code, manifests, manifests_digest, diagnostics };
  };
  const before = await digest();
  let changed = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = posix.join(entry.parentPath, entry.name);
    if (!entry.isFile() || !/\.(?:ya?ml|csv|json)$/.test(path)) continue;
    changed += 1;
    writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8').replaceAll('\n', '\r\n')}`);
  }
  expect(changed).toBeGreaterThan(3);
  expect(before.code).toBe(0);
  expect(await digest()).toEqual(before);
  rmSync(folder, { recursive: true });
});
