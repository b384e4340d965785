import { describe, expect, it } from 'vitest';
import { wantsColor } from '../../cmd/color.ts';

describe('colour', () => {
  it.each([
    ['on a terminal', { isTTY: true, off: false, env: {} }, true],
    ['not in a pipe', { isTTY: false, off: false, env: {} }, false],
    ['not with --no-color', { isTTY: true, off: true, env: {} }, false],
    ['not with NO_COLOR', { isTTY: true, off: false, env: { NO_COLOR: '1' } }, false],
    ['with an empty NO_COLOR', { isTTY: true, off: false, env: { NO_COLOR: '' } }, true],
    ['not on a dumb terminal', { isTTY: true, off: false, env: { TERM: 'dumb' } }, false],
    ['not forced into a pipe', { isTTY: false, off: false, env: { FORCE_COLOR: '1', CI: 'true' } }, false],
    [
      'NO_COLOR beats FORCE_COLOR',
      { isTTY: true, off: false, env: { NO_COLOR: '1', FORCE_COLOR: '1' } },
      false,
    ],
  ])('%s', (_name, choice, expected) => {
    expect(wantsColor(choice)).toBe(expected);
  });
});
