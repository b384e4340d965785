import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { sniperConfig } from '../support/builders.ts';
import { testRepository } from '../support/repository.ts';
import { CANARY, EXECUTABLE, folder, projectFiles, startSandbox, tradeform } from './run.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const QUICKSTART = join(EXAMPLES, 'quickstart');

let bin: { path: string };
beforeAll(async () => {
  bin = folder({});
  writeFileSync(join(bin.path, 'script'), (await tradeform(['completion', 'bash'])).stdout);
  chmodSync(EXECUTABLE, 0o755);
  symlinkSync(EXECUTABLE, join(bin.path, 'tradeform'));
});

/** What a real bash would offer for a line, the word to complete last. */
async function inBash(
  words: readonly string[],
  cwd = QUICKSTART,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const script = `
    source "$SCRIPT"
    COMP_WORDS=(tradeform "$@") COMP_CWORD=$#
    "$(complete -p tradeform | sed 's/.*-F \\([^ ]*\\).*/\\1/')"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  // Not waited for in one go: the service may be in this process.
  const child = spawn('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd,
    env: { PATH: `${bin.path}:${process.env.PATH ?? ''}`, SCRIPT: join(bin.path, 'script'), ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
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
    ['the fields of a path', ['explain', 'Label.spec.'], ['Label.spec.name', 'Label.spec.sort_order']],
    ['a field of one form', ['explain', 'Preset.spec.config.buy_am'], ['Preset.spec.config.buy_amount']],
    [
      'a field of another form',
      ['explain', 'Preset.spec.config.buy_config_'],
      [
        'Preset.spec.config.buy_config_mode',
        'Preset.spec.config.buy_config_universal',
        'Preset.spec.config.buy_config_tiers',
      ],
    ],
    ['nothing for a free key', ['explain', 'WalletBook.spec.wallets.'], []],
    ['a schema', ['schema', 'Wal'], ['WalletBook']],
    ['a kind of task', ['status', '--kind', 'copy'], ['copy-trade']],
    ['any kind where any can be meant', ['export', '--kind', 'copy'], ['copy-trade', 'copy-trade-template']],
    ['a class of drift', ['drift', '--ignore', 'pen'], ['pending']],
    ['another class of drift', ['drift', '--fail-on', 'unm'], ['unmanaged']],
    ['a format of a report, to be followed by a file', ['plan', '--report', 'sa'], ['sarif=']],
    ['a guardrail to override', ['plan', '--override', 'max_del'], ['max_deletes=']],
    ['a named choice of the sandbox', ['sandbox', '--choice', 'list_o'], ['list_order=']],
    ['a place with a limit', ['plan', '--max-bytes', 'git'], ['github-comment', 'gitlab-note']],
    ['a label of the manifests', ['status', '--label', 'stea'], ['steady']],
    ['a name with a space, quoted', ['pause', '--label', 'High'], ['High\\ risk']],
    ['the same behind a quote', ['pause', '--label', '"High'], ['High risk']],
    ['the same where a part is quoted', ['pause', '--label', 'High\\ r'], ['High\\ risk']],
    ['a value after =, which bash takes for a word', ['plan', '--target', '=', 'sniper/da'], ['sniper/dawn']],
    ['a value right after =', ['status', '--kind', '='], ['sniper', 'copy-trade', 'transfer-snipe']],
    ['tasks of the manifests where no service is asked', ['pause', 'sniper/da'], ['sniper/dawn']],
    ['a command for a fleet', ['fleet', 'stat'], ['status']],
    ['an option of it', ['fleet', 'plan', '--first'], ['--first-apply']],
    ['no option of another one', ['fleet', 'drift', '--soa'], []],
    ['a class of drift in a fleet', ['fleet', 'drift', '--ignore', 'pen'], ['pending']],
    ['nothing where no task is named', ['fleet', 'pause', 'sniper/da'], []],
    ['nothing where a file is meant', ['plan', '--out', ''], []],
    ['nothing for what does not exist', ['plan', '--no-such-thing'], []],
  ])('offers %s', async (_case, words, offered) => {
    expect(await inBash(words)).toEqual(offered);
  });

  it('offers nothing that runs or ends its quotes, whichever quotes surround it', async () => {
    const names = [
      'x$(touch ran)',
      'x`touch ran`',
      'x"; touch ran; "',
      "x'; touch ran; '",
      'x\\$(touch ran)',
      'x\\',
      'x & y',
      'x!! y',
      'x\nx\x1b]0;y\x07',
    ];
    const files = folder({
      ...projectFiles(),
      'seed.json': JSON.stringify({
        accounts: [{ tokens: [{ token: CANARY }], labels: names.map((name) => ({ name })) }],
      }),
    });
    const sandbox = await startSandbox([], join(files.path, 'seed.json'));
    try {
      const more = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
      for (const [open, close, expected] of [
        ['', '', names.slice(0, -1)],
        ['"', '"', names.slice(0, -2)],
        ["'", "'", names.slice(0, -1)],
      ] as const) {
        const offered = await inBash(['status', '--label', `${open}x`], files.path, more);
        const read = spawnSync(
          'bash',
          ['-c', offered.map((word) => `printf '%s\\n' ${open}${word}${close}`).join('\n')],
          { cwd: files.path, encoding: 'utf8' },
        );
        expect([open, read.stderr, read.stdout.split('\n').slice(0, -1).sort()]).toEqual([
          open,
          '',
          [...expected].sort(),
        ]);
        expect(existsSync(join(files.path, 'ran'))).toBe(false);
      }
    } finally {
      await sandbox.stop();
    }
  }, 60_000);

  it('offers every command and no hidden one', async () => {
    const { stdout } = await tradeform(['--help']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+)\b.*$/gm)].map(([, name]) => name);
    const offered = await inBash(['']);
    expect(offered.length).toBeGreaterThan(8);
    expect(listed).toEqual(expect.arrayContaining([...offered]));
  });

  it('offers environments, and the addresses of the project that the line names', async () => {
    expect(await inBash(['plan', '-e', ''], join(EXAMPLES, 'fleet'))).toEqual(['production', 'staging']);
    expect(
      await inBash(['-C', join(EXAMPLES, 'fleet'), '-e', 'staging', 'plan', '--target', 'label/'], '/'),
    ).toContain('label/high-risk');
    // Several environments and none named yet.
    expect(await inBash(['plan', '--target', 'label/high'], join(EXAMPLES, 'fleet'))).toEqual([
      'label/high-risk',
    ]);
  });

  it('offers names from the service: running tasks to pause, stopped ones to resume, and labels', async () => {
    const files = folder({
      ...projectFiles(),
      'seed.json': JSON.stringify({
        accounts: [
          {
            tokens: [{ token: CANARY }],
            labels: [{ name: 'Live: only' }],
            tasks: ['core/live-off', 'core/live-on', 'desk/theirs', 'harbor/theirs', 'desk/more'].map(
              (name) => ({
                kind: 'sniper',
                remark: `Note [git:${name}@0]`,
                target_wallet: 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG',
                is_active: name === 'core/live-on',
                config: sniperConfig(),
              }),
            ),
          },
        ],
      }),
    });
    const sandbox = await startSandbox([], join(files.path, 'seed.json'));
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: CANARY };
    try {
      const offered = (...words: readonly string[]) => inBash(words, files.path, env);
      expect(await offered('pause', 'sniper/')).toEqual(['sniper/live-on']);
      expect(await offered('resume', 'sniper/')).toEqual(['sniper/live-off']);
      const all = ['sniper/alpha', 'sniper/live-off', 'sniper/live-on'];
      expect(await offered('status', 'sniper/')).toEqual(all);
      expect(await offered('status', '--label', '')).toEqual(['High\\ risk', 'Live:\\ only', 'high-risk']);
      expect(await offered('plan', '--take-over', '')).toEqual(['desk', 'harbor']);
      // The wrong account: nothing of it is offered.
      const pinned = { ...env, TRADEFORM_TOKEN: 'svc_live_00000000.wrong' };
      expect(await inBash(['status', 'sniper/'], files.path, pinned)).toEqual(['sniper/alpha']);
      const asked = (await (await fetch(new URL('/_sandbox/log', sandbox.baseUrl))).json()) as {
        entries: readonly { method: string }[];
      };
      expect(new Set(asked.entries.map(({ method }) => method))).toEqual(new Set(['GET']));
    } finally {
      await sandbox.stop();
    }
  });

  it('offers branches for a revision', async () => {
    const repository = testRepository();
    repository.write('a', 'b');
    repository.commit();
    repository.git('branch', 'mine');
    const offered = await inBash(['rollback', ''], repository.path);
    expect(offered).toEqual(['HEAD', 'main', 'mine']);
  });

  it('prints nothing if the manifests have errors or there is no project', async () => {
    const wrong = folder({ 'tradeform.yaml': 'kind: [' });
    expect(await inBash(['plan', '--target', ''], wrong.path)).toEqual([]);
    expect(await inBash(['plan', '--target', ''], '/')).toEqual([]);
  });
});

describe('what zsh and fish ask for', () => {
  it.each([
    [['plan', '--target=sniper/da'], '--target=sniper/dawn\n'],
    [['plan', '-o', 'gitl'], 'gitlab\n'],
    [['completion', 'z'], 'zsh\n'],
    [['explain', 'Label.nothing.'], ''],
  ])('%j', async (words, offered) => {
    const result = await tradeform(['__complete', '--', ...words], { cwd: QUICKSTART });
    expect(result).toEqual({ code: 0, stdout: offered, stderr: '' });
  });

  it('descriptions come after a tab', async () => {
    const { stdout } = await tradeform(['__complete', '--', 'doc']);
    expect(stdout).toMatch(/^doctor\t\S.*\n$/);
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

  it('names the supported shells', async () => {
    const { code, stderr } = await tradeform(['completion', 'csh']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('bash, zsh, fish')]);
  });
});
