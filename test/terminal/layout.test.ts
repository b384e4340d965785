import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandName } from '../../cmd/options.ts';
import { buildProgram } from '../../cmd/program.ts';
import { runInMemory } from '../features/in-memory.ts';
import { commitAll, gitIn } from '../support/repository.ts';
import { sampled } from '../support/sample.ts';
import { wideDesk } from '../support/wide-desk.ts';
import { type Desk, openDesk } from './desk.ts';
import { closeTerminals } from './terminal.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  const git = gitIn(desk.path);
  git('init', '-q', '-b', 'main');
  commitAll(git, 'A first commit whose subject is much longer than any line of a terminal may be 全角');
  appendFileSync(
    join(desk.path, MANIFESTS),
    '\n---\n{"apiVersion": "tradeform/v1", "kind": "Label", "metadata": {"name": "later"}, "spec": {"name": "後"}}\n',
  );
  git('commit', '-qam', 'A label');
});
afterAll(() => closeTerminals());

const MANIFESTS = 'manifests/a-folder-with-quite-a-long-name/another-one/all-of-them.yaml';

/** Commands that read only, with their exit codes. */
const READING: readonly (readonly [string, number])[] = [
  ['validate', 0],
  ['plan', 0],
  ['plan --base HEAD~1', 0],
  ['plan --target sniper/001-* --out a-plan-file-with-a-name-of-its-own-that-is-not-quite-short.plan', 0],
  [`apply --expect ${'0'.repeat(64)}`, 4],
  ['render --diff HEAD~1', 0],
  ['drift', 2],
  ['status', 0],
  ['status --unmanaged', 0],
  ['status sniper/no-such-task-but-with-a-long-name', 3],
  ['doctor', 0],
  ['rollback HEAD~1 --auto-approve --target label/none', 3],
  ['export', 0],
  ['pause --all --dry-run', 0],
  ['pause --all --include-unmanaged --dry-run', 0],
  ['pause no-such-task-but-with-a-long-name-that-goes-on', 3],
  ['resume --all --held --dry-run', 0],
  ['fmt --check', 2],
  ['explain --codes', 0],
  ['explain --code guardrail-max-slippage', 0],
  ['explain Project.spec', 0],
  ['explain CopyTradeTask.spec.config', 0],
  ['schema no-such-kind', 3],
  ['plan --no-such-option-that-is-known-to-anybody-at-all-in-this-program', 3],
];

describe('on a terminal of 80 columns nothing is wider', () => {
  it.each(sampled(READING, 4))('tradeform %s', async (line, code) => {
    const terminal = desk.open(line.split(' '));
    expect(await terminal.ended, terminal.text()).toBe(code);
    expect(terminal.tooLong()).toEqual([]);
  });

  it('validate, with every kind of error', async () => {
    const wrong =
      wideDesk()
        .files[MANIFESTS]?.replaceAll('"buy_amount": "', '"buy_amount": "漢字🚀漢字')
        .replaceAll('risk', `リスク${'w'.repeat(90)}`) ?? '';
    const other = await openDesk({ ...wideDesk(), files: { ...wideDesk().files, [MANIFESTS]: wrong } });
    const terminal = other.open(['validate']);
    const code = await terminal.ended;
    expect(code).toBe(3);
    expect(terminal.text()).toMatch(/^\d+ errors/m);
    expect(terminal.tooLong()).toEqual([]);
  });

  it('the help of every command', async () => {
    const names: string[] = [];
    await runInMemory({ cwd: '/', env: {} }, async (io) => {
      const all = buildProgram(io, () => undefined).commands;
      names.push(...all.flatMap((command) => [command, ...command.commands]).map(commandName));
      return 0;
    });
    expect(names.length).toBeGreaterThan(30);
    for (const name of ['', ...names]) {
      let text = '';
      await runInMemory({ cwd: '/', env: {}, columns: 80 }, async (io) => {
        const shown = Object.assign(Object.create(io) as typeof io, {
          stdout: (more: string) => {
            text += more;
          },
        });
        await buildProgram(shown, () => undefined)
          .parseAsync([...(name === '' ? [] : name.split(' ')), '--help'], { from: 'user' })
          .catch(() => undefined);
        return 0;
      });
      expect(text, name).toContain('Usage:');
      expect(
        text.split('\n').filter((line) => line.length > 80),
        name,
      ).toEqual([]);
    }
  });
});

describe('a narrow terminal, and one without colours', () => {
  const LINES = [
    'plan',
    'status',
    'drift',
    'doctor',
    'pause --all --dry-run',
    'explain sniper.spec.config',
    'validate',
    'export',
  ];

  it.each(sampled(LINES, 4))('tradeform %s in 40 columns shows the same words', async (line) => {
    const words = line.split(' ');
    const wide = desk.open(words, { rows: 5 });
    const code = await wide.ended;
    const narrow = desk.open(words, { columns: 40, rows: 5 });
    expect(await narrow.ended).toBe(code);
    expect(narrow.text()).not.toContain('internal');
    expect(narrow.text().length).toBeGreaterThan(60);
  });

  it.each(sampled(['plan', 'status', 'drift', 'doctor'], 3))(
    'tradeform %s is coloured, and not with NO_COLOR',
    async (line) => {
      const coloured = desk.open([line]);
      await coloured.ended;
      const plain = desk.open([line], { env: { NO_COLOR: '1' } });
      await plain.ended;
      expect([coloured.hasColor, plain.hasColor]).toEqual([true, false]);
      const off = desk.open([line, '--no-color']);
      await off.ended;
      expect(off.hasColor).toBe(false);
    },
  );
});
