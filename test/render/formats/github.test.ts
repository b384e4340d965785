import { describe, expect, it } from 'vitest';
import { visible } from '../../../src/core/render/untrusted.ts';
import { githubText } from '../../../src/kit/formats/github.ts';
import fc from '../../properties.ts';
import { documentOf, errorAt, hostileDocument } from './hostile.ts';
import { runnerCommands } from './runner.ts';

const KINDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

describe('annotations', () => {
  it('are at file, line and column from the root of the repository, with code, address and hint', () => {
    const finding = errorAt('manifests/a,b: 1.yaml', 3, { address: 'sniper/a', hint: '100 % of it.' });
    const text = githubText(
      documentOf([finding], { root: { folder: 'desk', projectFile: 'tradeform.yaml' } }),
    );
    expect(text).toBe(
      '::error file=desk/manifests/a%2Cb%3A 1.yaml,line=3,col=5,title=invalid-value sniper/a::' +
        'spec.state: "on" is not allowed%0A100 %25 of it.\n',
    );
    expect(runnerCommands(text)).toEqual([
      {
        command: 'error',
        properties: {
          file: 'desk/manifests/a,b: 1.yaml',
          line: '3',
          col: '5',
          title: 'invalid-value sniper/a',
        },
        data: 'spec.state: "on" is not allowed\n100 % of it.',
      },
    ]);
  });

  it('have no file without a place: they belong to the step then', () => {
    const text = githubText(documentOf([{ rule: 'token-missing', level: 'error', message: 'no token' }]));
    expect(text).toBe('::error title=token-missing::no token\n');
  });

  it('keep the lines of a message', () => {
    const text = githubText(documentOf([{ rule: 'drift/changed', level: 'warning', message: 'two\nlines' }]));
    expect(text).toBe('::warning title=drift/changed::two%0Alines\n');
  });

  it('are empty without findings', () => {
    expect(githubText(documentOf([]))).toBe('');
  });

  it.each([10, 11, 37])('of %s errors are at most ten, and the last one counts the rest', (number) => {
    const errors = Array.from({ length: number }, (_, line) => errorAt('a.yaml', line + 1));
    const note = { rule: 'quota-low', level: 'note', message: 'few' } as const;
    const commands = runnerCommands(githubText(documentOf([...errors, note])));
    const shown = commands.filter(({ command }) => command === 'error');
    expect(shown).toHaveLength(10);
    expect(commands.filter(({ command }) => command === 'notice')).toHaveLength(1);
    const last = shown.at(-1);
    if (number === 10) expect(last?.properties.line).toBe('10');
    else {
      expect(last?.properties.file).toBeUndefined();
      expect(last?.data).toMatch(new RegExp(`^${number - 9} more errors not shown here`));
    }
  });

  it('are cut to what the runner accepts', () => {
    const long = errorAt('a.yaml', 1, { message: '🎈'.repeat(4000), address: 'x'.repeat(400) });
    const [command] = runnerCommands(githubText(documentOf([long])));
    expect(command?.data.length).toBeLessThanOrEqual(4096);
    expect(command?.data).toMatch(/🎈…$/u);
    expect(command?.properties.title?.length).toBeLessThanOrEqual(255);
  });

  it('are one command for each finding whatever the texts are, and keep the exact meaning', () => {
    fc.assert(
      fc.property(hostileDocument, (document) => {
        const text = githubText({ ...document, root: { folder: '', projectFile: 'p.yaml' } });
        const commands = runnerCommands(text);
        expect(text.split('\n')).toHaveLength(document.findings.length + 1);
        expect(commands).toHaveLength(document.findings.length);
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
        const expected = (['error', 'warning', 'note'] as const).flatMap((level) =>
          document.findings.filter((finding) => finding.level === level),
        );
        for (const [index, finding] of expected.entries()) {
          const found = commands[index];
          expect(found?.command).toBe(KINDS[finding.level]);
          const names = finding.location === undefined ? ['title'] : ['col', 'file', 'line', 'title'];
          expect(Object.keys(found?.properties ?? {}).sort()).toEqual(names);
          if (finding.location !== undefined)
            expect(found?.properties.file).toBe(visible(finding.location.file));
        }
      }),
    );
  });
});
