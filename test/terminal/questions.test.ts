import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { EXECUTABLE, folder } from '../cmd/run.ts';
import { openDesk } from './desk.ts';
import { closeTerminals, TestTerminal } from './terminal.ts';

afterEach(closeTerminals);

function init(): { path: string; terminal: TestTerminal } {
  const made = folder({ 'Harbor/.keep': '' });
  const path = join(made.path, 'Harbor');
  return { path, terminal: new TestTerminal(['init'], { cwd: path }) };
}

describe('init at a terminal', () => {
  it('asks for what no option says, and uses the value in brackets for an empty answer', async () => {
    const { path, terminal } = init();
    await terminal.waitFor('Name of the project (1 to 12 of a-z, 0-9, -) [harbor-');
    terminal.type('\r');
    await terminal.waitFor('Base URL of the service');
    terminal.type('https://a.test/v1\r');
    await terminal.waitFor('CI workflow: github, gitea, gitlab or none [none]: ');
    terminal.type('github\r');
    expect(await terminal.ended).toBe(0);
    const text = readFileSync(join(path, 'tradeform.yaml'), 'utf8');
    expect(text).toMatch(/name: harbor-[a-z2-9]{4} /);
    expect(text).toContain('base_url: "https://a.test/v1"');
    expect(existsSync(join(path, '.github/workflows/tradeform-apply.yml'))).toBe(true);
    expect(terminal.text()).toContain('Next:');
    // A line with the path of a page is as long as the folder in which tradeform is.
    expect(terminal.tooLong().filter((line) => !line.includes('docs/how-to/github.md'))).toEqual([]);
  });

  it('Ctrl-C at a question: exit 130, and nothing is written', async () => {
    const { path, terminal } = init();
    await terminal.waitFor('Name of the project');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(130);
    expect(existsSync(join(path, 'tradeform.yaml'))).toBe(false);
  });

  it('says what is wrong with an answer, and asks again', async () => {
    const { path, terminal } = init();
    const answers = [
      ['Name of the project', 'Not A Name', 'is not 1 to 12 characters of a-z'],
      ['Name of the project', 'desk', undefined],
      ['Base URL of the service', 'desk.test', 'the base URL cannot be used'],
      ['Base URL of the service', 'https://a.test/v1', 'There is no token (TRADEFORM_TOKEN'],
      ['CI workflow', 'jenkins', 'unknown CI system "jenkins"'],
      ['CI workflow', 'none', undefined],
    ] as const;
    let asked = '';
    for (const [question, answer, said] of answers) {
      // The same question once more, below the first.
      await terminal.waitFor(question === asked ? new RegExp(`${question}[^]*\n${question}`) : question);
      terminal.type(`${answer}\r`);
      if (said !== undefined) await terminal.waitFor(said);
      asked = question;
    }
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(join(path, 'tradeform.yaml'), 'utf8')).toContain('name: desk ');
    expect(terminal.tooLong()).toEqual([]);
  });
});

describe('the switch at a terminal', () => {
  it('pauses everything without a question, in 80 columns; resume asks', async () => {
    const desk = await openDesk();
    const pause = desk.open(['pause', '--all']);
    expect(await pause.ended).toBe(0);
    expect(pause.text()).toMatch(/^Paused \(4\)$/m);
    expect(pause.text().replace(/\s+/g, ' ')).toContain(
      '5 tasks outside git (1 of project another-desk) still trade at least 2.01 SOL. To pause all 5 as well, whatever project they belong to: add `--include-unmanaged`. All chosen tasks are off: 4 tasks paused; 2 were off already.',
    );
    expect(pause.tooLong()).toEqual([]);
    expect(pause.hasColor).toBe(true);

    const no = desk.open(['resume', '--all']);
    await no.waitFor('Start all with their stored configs? Only "yes" is accepted: ');
    expect(no.text()).toContain('3 tasks can spend differently from git.');
    no.type('nope\r');
    expect(await no.ended).toBe(4);
    const yes = desk.open(['resume', '--all']);
    await yes.waitFor('is accepted: ');
    yes.type('yes\r');
    expect(await yes.ended).toBe(0);
    expect(yes.text()).toMatch(/4 tasks started/);
    expect(yes.tooLong()).toEqual([]);
  });

  it('rollback asks as well', async () => {
    const desk = await openDesk();
    const terminal = desk.open(['rollback', 'HEAD']);
    // No repository: nothing is asked then.
    expect(await terminal.ended).toBe(3);
    expect(terminal.tooLong()).toEqual([]);
  });
});

describe('Tab in bash', () => {
  it('completes a command, an option and a running task', async () => {
    const desk = await openDesk();
    const script = 'PS1="ready> " exec bash --norc --noprofile -i';
    const terminal = desk.open([], { script, columns: 120, env: { HOME: desk.path } });
    await terminal.waitFor('ready> ');
    terminal.type(
      `tradeform() { '${process.execPath}' '${EXECUTABLE}' "$@"; }; source <(tradeform completion bash); clear\r`,
    );
    await terminal.waitFor(/^ready> $/m);
    terminal.type('tradeform pau\t--inc\tcopy-trade/\t');
    await terminal.waitFor('tradeform pause --include-unmanaged copy-trade/006-a-name-as-long-as-it ');
    // Ctrl-U takes back what was typed.
    terminal.type('\x15exit\r');
    expect(await terminal.ended).toBe(0);
  });
});
