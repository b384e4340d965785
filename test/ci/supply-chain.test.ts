import { describe, expect, test } from 'vitest';
import { textOf } from './files.ts';

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

describe('package-lock.json', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  /** Without the repository itself. */
  const others = Object.entries(packages).filter(([path]) => path !== '');

  test('has a strong checksum of every package, whatever machine it is for', () => {
    expect(others.length).toBeGreaterThan(100);
    const without = others.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
    expect(without.map(([path]) => path)).toEqual([]);
  });

  test('names no source but the public registry', () => {
    // Without an address npm takes a package from the registry that it is set to, and the checksum says whether it is the one.
    const elsewhere = others.filter(
      ([, { resolved = 'https://registry.npmjs.org/', link }]) =>
        link === true || !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([path]) => path)).toEqual([]);
  });

  test('of the packages that have install scripts, the build needs none run', () => {
    const scripts = others.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    // esbuild's only puts its program in place of a small script that starts it.
    expect(scripts.filter(([path]) => !/(?:^|\/)node_modules\/(?:esbuild|fsevents)$/.test(path))).toEqual([]);
  });
});
