import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DesiredTask } from '../../src/core/desired/state.ts';
import { versionDigest } from '../../src/core/desired/version.ts';
import { LIMITS } from '../../src/core/model/kind.ts';
import {
  formatRemark,
  formatVersion,
  MAX_HALF,
  noteRoom,
  parseRemark,
  parseVersion,
} from '../../src/core/model/marker.ts';
import { compiled } from '../support/exporting.ts';
import { ROOT } from '../support/sources.ts';

const project = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n';
const SNIPER = readFileSync(join(ROOT, 'test/desired/version/sniper.yaml'), 'utf8');
const COPY = readFileSync(join(ROOT, 'test/desired/version/copy-trade.yaml'), 'utf8');

async function taskOf(manifest: string, env: Readonly<Record<string, string>> = {}): Promise<DesiredTask> {
  const { state, diagnostics } = await compiled(
    new Map([
      ['tradeform.yaml', project],
      ['manifests/one.yaml', manifest],
    ]),
    env,
  );
  const [task] = state?.tasks ?? [];
  if (task === undefined) throw new Error(JSON.stringify(diagnostics));
  return task;
}

const digestOf = async (manifest: string, env = {}) => versionDigest(await taskOf(manifest, env));

/** Whoever changes one of these lets every marker of every user look as if git had moved on. */
describe('golden versions', () => {
  it.each([
    ['a sniper', SNIPER, 'AXO3'],
    ['a copy-trade task', COPY, 'eM5J'],
  ])('%s', async (_title, manifest, digest) => {
    expect(await digestOf(manifest)).toBe(digest);
  });
});

describe('the four characters', () => {
  it.each([
    ['the layout and a comment', (text: string) => text.replace('state: active', '# on\n  state:   active')],
    ['the name', (text: string) => text.replace('name: dawn', 'name: dusk')],
    ['the spelling of an amount', (text: string) => text.replace('"0.2"', '0.20')],
    [
      'a documented default that is left out',
      (text: string) => text.replace('    snipe_external: false\n', ''),
    ],
    ['the order of a set', (text: string) => text.replace('[pump-fun, launchlab]', '[launchlab, pump-fun]')],
    ['lifecycle', (text: string) => `${text}  lifecycle: { adopt: never, ignore_changes: [remark] }\n`],
  ])('do not depend on %s', async (_title, change) => {
    expect(change(SNIPER)).not.toBe(SNIPER);
    expect(await digestOf(change(SNIPER))).toBe(await digestOf(SNIPER));
  });

  it.each([
    ['an amount', (text: string) => text.replace('"0.2"', '"0.3"')],
    ['the note', (text: string) => text.replace('remark: Early', 'remark: Late')],
    ['the state', (text: string) => text.replace('state: active', 'state: paused')],
    ['rearm', (text: string) => text.replace('state: active', 'state: active\n  rearm: b')],
    [
      'the target',
      (text: string) =>
        text.replace(
          'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG',
          '7dHbWXmci3dT8UFYWYZweBLXgycu7Y3iL6trKn1Y7ARj',
        ),
    ],
    [
      'a field of an open object',
      (text: string) => text.replace('sell_delay: "0"', 'sell_delay: "0", other: true'),
    ],
    ['the kind', (text: string) => text.replace('kind: SniperTask', 'kind: TransferSnipeTask')],
  ])('depend on %s', async (_title, change) => {
    expect(await digestOf(change(SNIPER))).not.toBe(await digestOf(SNIPER));
  });

  it('count a value of the environment as the manifest writes it', async () => {
    const of = (size: string, name = 'SIZE') =>
      digestOf(SNIPER.replace('"0.2"', `\${env.${name}}`), { [name]: size });
    const one = await of('0.2');
    expect(await of('0.9')).toBe(one);
    expect(await of('0.2', 'OTHER')).not.toBe(one);
  });
});

describe('the room in a remark', () => {
  const longest = { project: 'p'.repeat(12), name: 'n'.repeat(24), rearm: 'abc' };
  const version = { digest: 'zzzz', number: MAX_HALF };

  it.each([
    ['a number of seven digits', { armed: 9_999_999 }],
    ['a short mark and the task that is replaced', { armed: 99, replaces: '5e0c' }],
    ['a long mark and the task that is replaced', { armed: 9_999_999, replaces: '5e0c' }],
  ])('is enough for every allowed name with %s', (_title, marker) => {
    const room = noteRoom(longest.project, longest.name, longest.rearm);
    const text = formatRemark('x'.repeat(room), { ...longest, version, ...marker });
    expect(text.length).toBeLessThanOrEqual(LIMITS.remark);
    expect(parseRemark(text).marker).toMatchObject({ ...longest, version });
  });
});

it.each([
  [0, '0000'],
  [61, '000z'],
  [62, '0010'],
  [36 ** 3, '0C8W'],
  [MAX_HALF, 'zzzz'],
])('commit %i is %s', (number, text) => {
  expect(formatVersion({ digest: 'aB0z', number })).toBe(`aB0z${text}`);
  expect(parseVersion(`aB0z${text}`)).toEqual({ digest: 'aB0z', number });
});
