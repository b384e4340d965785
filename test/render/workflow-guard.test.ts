import { describe, expect, it } from 'vitest';
import { workflowGuard } from '../../src/core/render/workflow-guard.ts';
import fc from '../properties.ts';
import { hostileText } from './formats/hostile.ts';
import { runnerCommands } from './formats/runner.ts';

/** What a runner reads when the pieces go through one guard. */
function guarded(pieces: readonly string[], as: Parameters<typeof workflowGuard>[0] = 'text'): string {
  const guard = workflowGuard(as);
  return pieces.map(guard).join('');
}

describe('text in GitHub Actions', () => {
  it.each([
    ['::set-output name=a::b'],
    ['one\n  \t::stop-commands::x\n'],
    ['one\r::add-mask::x'],
    ['\u0085\u00a0::debug::x'],
    ['some ##[set-output name=a]b'],
    ['##[add-mask]x'],
  ])('%j is no command', (text) => {
    expect(runnerCommands(text)).toHaveLength(1);
    expect(runnerCommands(guarded([text]))).toEqual([]);
  });

  it('looks across pieces: white space does not hide the beginning of a line, other text does', () => {
    expect(guarded(['  ', '::error::x'])).toBe('  : :error::x');
    expect(guarded(['a\n', '', '::error::x'])).toBe('a\n: :error::x');
    expect(guarded(['at a', '::b'])).toBe('at a::b');
    expect(guarded(['at a ', '::b'])).toBe('at a ::b');
  });

  it('leaves everything else unchanged', () => {
    const text = 'a::b\n  c ::d\n##[x\n[section]\n# [a]\n::\n';
    expect(guarded([text])).toBe('a::b\n  c ::d\n##[x\n[section]\n# [a]\n: :\n');
  });

  it('no line of others is a command, in whatever pieces it comes', () => {
    fc.assert(
      fc.property(fc.array(hostileText.map((text) => `${text}\n`)), (pieces) => {
        expect(runnerCommands(guarded(pieces))).toEqual([]);
        expect(runnerCommands(guarded([pieces.join('')]))).toEqual([]);
      }),
    );
  });

  it('JSON means the same afterwards, and contains no command', () => {
    fc.assert(
      fc.property(fc.jsonValue(), hostileText, (value, text) => {
        const document = { value, text, command: '##[set-output name=a]b' };
        const printed = guarded([`${JSON.stringify(document, null, 2)}\n`], 'json');
        expect(JSON.parse(printed)).toEqual(JSON.parse(JSON.stringify(document)));
        expect(runnerCommands(printed)).toEqual([]);
      }),
    );
  });

  it('XML has a reference instead', () => {
    expect(guarded(['<a b="##[group]"/>'], 'xml')).toBe('<a b="##&#91;group]"/>');
  });
});
