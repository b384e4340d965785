import { describe, expect, test } from 'vitest';
import { findOwners, type Identity, Readings } from '../../src/core/act/find-owners.ts';
import { Requests } from '../../src/core/act/requests.ts';
import type { Json, JsonObject } from '../../src/core/model/json.ts';
import type { Answer, ReadOutcome } from '../../src/core/ports/api.ts';
import { sniperConfig, uuid, wallet } from '../support/builders.ts';
import { virtualClock } from '../support/world.ts';

/** Who carries a name: read from the pages of a collection, and never taken for "nobody" where they cannot be read. */

const IDENTITY: Identity = {
  collection: 'sniper',
  owner: { project: 'core', name: 'a' },
  shownName: undefined,
  known: new Set([uuid(9)]),
};
const LABEL: Identity = { ...IDENTITY, collection: 'label', shownName: 'high' };

function item(index: number, remark: string): JsonObject {
  return {
    id: uuid(index),
    remark,
    target_wallet: wallet(0),
    is_active: false,
    version: 1,
    config: sniperConfig(),
  };
}

function page(items: Json, next_cursor: string | null = null): Answer {
  const data = { items, next_cursor };
  return { type: 'ok', status: 200, data, version: undefined, requestId: undefined, date: undefined };
}

/** Answers by the number of the request, from 0; it throws where there is no end. */
async function search(answer: (request: number) => ReadOutcome, identity = IDENTITY) {
  const paths: string[] = [];
  const get = async (path: string): Promise<ReadOutcome> => {
    paths.push(path);
    if (paths.length > 1_100) throw new Error('it does not stop');
    return answer(paths.length - 1);
  };
  const write = () => Promise.reject(new Error('nothing is written'));
  const wire = new Requests({ get, write }, virtualClock(), new AbortController().signal);
  const found = await findOwners({ identity, requests: wire, readings: new Readings() });
  return { found, paths };
}

const ids = (resources: readonly { readonly id: string }[]) => resources.map(({ id }) => id);

const REFUSED: ReadOutcome = {
  type: 'error',
  status: 500,
  code: 'internal_error',
  message: 'No.',
  fields: [],
  requestId: 'r',
};

test('all pages are read, each after the cursor of the one before, and one pass is enough where somebody is found', async () => {
  const { found, paths } = await search((request) =>
    request === 0
      ? page([item(1, 'Mine'), item(9, '[git:core/a]')], 'c/1')
      : page([item(2, '[git:core/a@1]')]),
  );
  if (found.type !== 'found') throw new Error('unreadable');
  expect(ids(found.owners)).toEqual([uuid(2)]);
  expect(paths).toEqual(['/sniper/configs?limit=100', '/sniper/configs?limit=100&cursor=c%2F1']);
});

test.each([1, 2])('"none" takes three passes: the last finds what %i missed', async (missed) => {
  const { found, paths } = await search((request) =>
    page(request < missed ? [] : [item(2, '[git:core/a@1]')]),
  );
  if (found.type !== 'found') throw new Error('unreadable');
  expect(ids(found.owners)).toEqual([uuid(2)]);
  expect(paths).toHaveLength(missed + 1);
});

test('a twin has the name under another project, and was not in the view', async () => {
  const others = [item(1, 'a'), item(2, '[git:core/b]'), item(9, '[git:was/a]'), item(3, '[git:was/a@1]')];
  const { found } = await search(() => page(others));
  if (found.type !== 'found') throw new Error('unreadable');
  expect([ids(found.owners), ids(found.twins)]).toEqual([[], [uuid(3)]]);
});

test('labels come as one page without a limit, and are known by their name', async () => {
  const labels = [
    { id: uuid(1), name: 'low', sort_order: 1 },
    { id: uuid(2), name: 'high', sort_order: 2 },
  ];
  const { found, paths } = await search(() => page(labels), LABEL);
  expect(found).toMatchObject({ type: 'found', owners: [{ id: uuid(2) }], twins: [] });
  expect(paths).toEqual(['/labels']);
});

describe('unreadable, with what was answered', () => {
  const whole = [item(2, '[git:core/a@1]')];

  test.each<[string, ReadOutcome]>([
    ['a page that is refused', REFUSED],
    ['a page without items', page({})],
    ['a page without next_cursor', { ...page([]), data: { items: [] } }],
    ['an item that is not an object', page(['a'])],
    ['an item whose remark is missing', page([{ ...item(3, ''), remark: null }])],
    ['an item without a version', page([{ ...item(3, ''), version: 'v1' }])],
  ])('%s, first or second', async (_what, outcome) => {
    const first = await search(() => outcome);
    expect(first.found).toEqual({ type: 'unreadable', outcome });
    expect(first.paths).toHaveLength(1);
    const second = await search((request) => (request === 0 ? page(whole, 'c') : outcome));
    expect(second.found).toEqual({ type: 'unreadable', outcome });
    expect(second.paths).toHaveLength(2);
  });

  test('a cursor that comes twice: the traversal begins again, a few times', async () => {
    const { found, paths } = await search(() => page(whole, 'c'));
    expect(found).toMatchObject({ type: 'unreadable', outcome: { type: 'ok' } });
    expect(paths).toHaveLength(3 * 2);
  });

  test('pages without an end', async () => {
    const { found } = await search((request) => page(whole, `c${request}`));
    expect(found).toMatchObject({ type: 'unreadable', outcome: { type: 'ok' } });
  });
});

test('a cursor that is refused: the traversal begins again', async () => {
  const refused: ReadOutcome = { ...REFUSED, status: 400, code: 'invalid_request' };
  const answers = [page([item(1, '')], 'c'), refused, page([item(2, '[git:core/a@1]')])];
  const { found, paths } = await search((request) => answers[request] ?? page([]));
  expect(found).toMatchObject({ type: 'found', owners: [{ id: uuid(2) }] });
  expect(paths).toHaveLength(3);
});

test('one reading for all callers before it begins; a caller during the reading gets the next one', async () => {
  const answers: ((outcome: ReadOutcome) => void)[] = [];
  const get = () => new Promise<ReadOutcome>((resolve) => answers.push(resolve));
  const write = () => Promise.reject(new Error('nothing is written'));
  const wire = new Requests({ get, write }, virtualClock(), new AbortController().signal);
  const readings = new Readings(() => Promise.resolve(undefined));
  const begun = async (count: number) => {
    for (let turn = 0; answers.length < count && turn < 50; turn += 1) await Promise.resolve();
    return answers.length;
  };
  const early = [readings.pass('sniper', wire), readings.pass('sniper', wire)];
  expect(await begun(1)).toBe(1);
  const late = [readings.pass('sniper', wire), readings.pass('sniper', wire)];
  answers[0]?.(page([]));
  expect(await Promise.all(early)).toMatchObject([{ resources: [] }, { resources: [] }]);
  expect(await begun(2)).toBe(2);
  answers[1]?.(page([item(2, '[git:core/a@1]')]));
  expect(await Promise.all(late)).toMatchObject([
    { resources: [{ id: uuid(2) }] },
    { resources: [{ id: uuid(2) }] },
  ]);
  expect(answers).toHaveLength(2);
});
