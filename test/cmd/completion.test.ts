import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXECUTABLE, folder, tradeform } from './run.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const QUICKSTART = join(EXAMPLES, 'quickstart');

let bin: { path: string; remove(): void };
beforeAll(() => {
  bin = folder({});
  chmodSync(EXECUTABLE, 0o755);
  symlinkSync(EXECUTABLE, join(bin.path, 'tradeform'));
});
afterAll(() => bin.remove());

/** What a real bash would offer for a line, the word to complete last. */
function inBash(words: readonly string[], cwd = QUICKSTART): readonly string[] {
  const script = `
    source <(tradeform completion bash)
    COMP_WORDS=(tradeform "$@") COMP_CWORD=$#
    "$(complete -p tradeform | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd,
    env: { PATH: `${bin.path}:${process.env.PATH ?? ''}` },
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
}

describe('completion in bash', () => {
  it.each([
    ['a command', ['sch'], ['schema']],
    ['an option', ['plan', '--targ'], ['--target']],
    ['a common option after the command', ['plan', '--base-'], ['--base-url']],
    ['an address as the value of an option', ['plan', '--target', 'sniper/da'], ['sniper/dawn']],
    [
      'a second address of an option that takes many',
      ['apply', '--resume-stopped', 'sniper/dawn', 'label/t'],
      ['label/trial'],
    ],
    ['an address as an argument', ['render', 'copy-trade/whale-1'], ['copy-trade/whale-12']],
    ['one of a list of values', ['-o', 'mark'], ['markdown']],
    ['a shell', ['completion', 'f'], ['fish']],
    ['a code', ['explain', '--code', 'slippage-i'], ['slippage-inert']],
    ['a kind', ['explain', 'SniperT'], ['SniperTask', 'SniperTemplate']],
    ['a schema', ['schema', 'Wal'], ['WalletBook']],
    ['nothing where a file is meant', ['plan', '--out', ''], []],
    ['nothing for what does not exist', ['plan', '--no-such-thing'], []],
  ])('offers %s', (_case, words, offered) => {
    expect(inBash(words)).toEqual(offered);
  });

  it('offers every command and no hidden one', async () => {
    const { stdout } = await tradeform(['--help']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+)\b.*$/gm)].map(([, name]) => name);
    const offered = inBash(['']);
    expect(offered.length).toBeGreaterThan(8);
    expect(listed).toEqual(expect.arrayContaining([...offered]));
  });

  it('offers environments, and the addresses of the project that the line names', () => {
    expect(inBash(['plan', '-e', ''], join(EXAMPLES, 'fleet'))).toEqual(['production', 'staging']);
    expect(
      inBash(['-C', join(EXAMPLES, 'fleet'), '-e', 'staging', 'plan', '--target', 'label/'], '/'),
    ).toContain('label/high-risk');
    // Several environments and none named yet.
    expect(inBash(['plan', '--target', 'label/high'], join(EXAMPLES, 'fleet'))).toEqual(['label/high-risk']);
  });

  it('says nothing where the manifests are wrong, or nowhere', () => {
    const wrong = folder({ 'tradeform.yaml': 'kind: [' });
    expect(inBash(['plan', '--target', ''], wrong.path)).toEqual([]);
    wrong.remove();
    expect(inBash(['plan', '--target', ''], '/')).toEqual([]);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    const { code, stdout, stderr } = await tradeform(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('tradeform');
    if (shell === 'bash') return;
    const parsed = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' });
    if (parsed.error === undefined) expect([parsed.status, parsed.stderr]).toEqual([0, '']);
  });

  it('names the shells that it knows', async () => {
    const { code, stderr } = await tradeform(['completion', 'csh']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('bash, zsh, fish')]);
  });
});
