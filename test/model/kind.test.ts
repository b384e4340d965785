import { expect, test } from 'vitest';
import { KINDS, targetOf } from '../../src/core/model/kind.ts';

const ID = '00000000-0000-4000-8000-000000000001';

test.each(KINDS.map((kind) => [kind.path, kind] as const))('what paths of %s name', (path, kind) => {
  expect(targetOf(path)).toEqual({ kind });
  expect(targetOf(`${path}?page=2&page_size=100`)).toEqual({ kind });
  expect(targetOf(`${path}/${ID}`)).toEqual({ kind, id: ID });
  for (const verb of ['pause', 'resume'])
    expect(targetOf(`${path}/${ID}/${verb}`)).toEqual({ kind, id: ID, verb });
});

test('other paths name nothing', () => {
  for (const path of ['/me', '/', '', '/sniper', '/labels-of-others', '/sniper/configs-old/x'])
    expect(targetOf(path), path).toBeUndefined();
});
