import { describe, expect, it } from 'vitest';
import {
  CHOICE_NAMES,
  type ChoiceName,
  type Choices,
  makeChoices,
  parseChoice,
} from '../../src/sandbox/choices.ts';
import { choiceOf, drawChoices } from '../support/choices.ts';
import { type Calls, CHOICE_CALLS } from './choice-calls.ts';
import { type Loose, startService } from './service.ts';

type Leaves = ReadonlyMap<string, string>;

function leavesOf(value: Loose, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null)
    return [[path, typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')]];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, `${path}.${name}`));
}

/** What the calls are answered, each as values by their paths. */
async function answered({ calls, ...given }: Calls, choices: Partial<Choices>): Promise<readonly Leaves[]> {
  const service = startService({ ...given, choices });
  const { labels, tasks, templates } = service.sandbox.state;
  const first = (all: ReadonlyMap<string, unknown>) => [...all.keys()][0] ?? '';
  const ids = new Map(
    Object.entries({ task: first(tasks), label: first(labels), template: first(templates) }),
  );
  const found: Leaves[] = [];
  for (const [index, call] of calls.entries()) {
    const [text, ask = {}] = typeof call === 'string' ? [call] : call;
    const [verb = '', at = '', version] = text
      .replace(/\$(\w+)/g, (_, name) => ids.get(name) ?? '')
      .split(' ');
    if (verb === 'pass') service.pass(Number(at));
    else if (verb === 'fire') service.sandbox.fire(at);
    else if (verb === 'legacy') service.sandbox.editStored(at, { merge: { old: 1 } });
    const isAsked = verb === verb.toUpperCase() && !at.endsWith('cursor=');
    if (!isAsked) found.push(new Map());
    if (!isAsked) continue;
    const tag = version === undefined ? {} : { ifMatch: Number(version.slice(1)) };
    const { status, headers, body, data } = await service.ask(verb, at, { ...tag, ...ask });
    if (typeof data?.id === 'string') ids.set(`${index + 1}`, data.id);
    if (data?.next_cursor !== undefined) ids.set('cursor', encodeURIComponent(data.next_cursor ?? ''));
    if (typeof data?.next_cursor === 'string') data.next_cursor = 'more';
    if (data?.items !== undefined) data.items = data.items.map(({ id }: Loose) => id).join(' ');
    const { error, meta: { request_id: _, ...meta } = {} as Loose, request_id: __, ...rest } = body ?? {};
    const shown = { ...rest, meta, code: error?.code ?? '', fields: error?.fields, 'the order of keys': '' };
    const { etag, date, 'retry-after': retry, 'x-request-id': id } = headers;
    shown['the order of keys'] = Object.keys(data?.config ?? {}).join(' ');
    const all = { status, etag, date, retry, id: id === undefined ? 'no' : 'yes', ...shown };
    const named = (text: string) =>
      [...ids].reduce((now, [name, id]) => now.replaceAll(id || '\0', `$${name}`), text);
    found.push(new Map(leavesOf(all, '').map(([path, value]) => [path.slice(1), named(value)])));
  }
  return found;
}

/** What the values of a choice make of its calls: for each call the values of each path, where they are not all the same. */
async function tableOf(name: ChoiceName): Promise<string> {
  const { values } = choiceOf(name);
  const given = CHOICE_CALLS[name];
  const answers = await Promise.all(values.map((value) => answered(given, { [name]: value })));
  const told = new Set(answers.map((all) => JSON.stringify(all.map((one) => [...one]))));
  expect([name, told.size]).toEqual([name, values.length]);
  const lines = given.calls.flatMap((call, index) => {
    const found = answers.map((all) => all[index] ?? new Map<string, string>());
    const refusals = found.filter((one) => Number(one.get('status')) >= 400).length;
    const isRefused = refusals > 0 && refusals < found.length;
    const paths = [...new Set(found.flatMap((one) => [...one.keys()]))].filter(
      (path) => !isRefused || /^(?:status|code|fields)/.test(path),
    );
    const rows = paths.flatMap((path) => {
      const each = found.map((one) => one.get(path) ?? 'none');
      if (new Set(each).size === 1) return [];
      return [`    ${path}: ${values.map((value, at) => `${value} ${each[at]}`).join(' | ')}`];
    });
    const [first] = found;
    const alike = rows.length === 0 ? `: ${first?.get('status') ?? 'done'} ${first?.get('code') ?? ''}` : '';
    return [`  ${index + 1} ${typeof call === 'string' ? call : call[0]}${alike}`.trimEnd(), ...rows];
  });
  return [name, ...lines, ''].join('\n');
}

it('each value of a choice answers otherwise than the others, as the table says', async () => {
  const tables: string[] = [];
  for (const name of CHOICE_NAMES) tables.push(await tableOf(name));
  await expect(tables.join('\n')).toMatchFileSnapshot('choices.txt');
});

describe.each(CHOICE_NAMES)('choice %s', (name: ChoiceName) => {
  /** The version in a marker counts on it. */
  it.each([...choiceOf(name).values])('%s keeps the case of letters in a remark', async (value) => {
    const service = startService({ choices: { [name]: value } });
    const markers = ['Note [git:core/a@1.aBzZ0Yx9]', 'Note [git:core/a@1.AbZz0yX9]'];
    for (const [index, remark] of markers.entries()) {
      const { id } = await service.make('sniper', index + 1, { remark });
      expect((await service.get('sniper', id)).remark).toBe(remark);
      const other = markers[1 - index];
      await service.ask('PATCH', `/sniper/configs/${id}`, { body: { remark: other }, ifMatch: 1 });
      expect((await service.get('sniper', id)).remark).toBe(other);
    }
    const { data } = await service.ask('GET', '/sniper/configs');
    expect(data.items.map((task: Loose) => task.remark).toSorted()).toEqual(markers.toSorted());
  });

  it('says why it is open, and its harsh values are among its values', () => {
    const { why, values, harsh } = choiceOf(name);
    expect(why.length).toBeGreaterThan(20);
    expect(new Set(values).size).toBe(values.length);
    expect(values.length).toBeGreaterThan(1);
    expect(harsh).not.toContain(values[0]);
    for (const value of harsh) expect(values).toContain(value);
  });
});

describe('choices as data', () => {
  it('default to the first value', () => {
    for (const name of CHOICE_NAMES) expect(makeChoices()[name]).toBe(choiceOf(name).values[0]);
    expect(makeChoices({ list_order: 'asc' }).list_order).toBe('asc');
  });

  it('are drawn without harsh values unless requested', () => {
    const last = (count: number) => count - 1;
    const soft = drawChoices(last);
    const hard = drawChoices(last, true);
    for (const name of CHOICE_NAMES) {
      expect(choiceOf(name).harsh).not.toContain(soft[name]);
      expect(hard[name]).toBe(choiceOf(name).values.at(-1));
    }
  });

  it('are read from text, and wrong ones list the possible values', () => {
    expect(parseChoice('version_step', '2')).toEqual({ version_step: 2 });
    expect(parseChoice('label_delete_answer', 204)).toEqual({ label_delete_answer: '204' });
    expect(parseChoice('list_order', 'up')).toMatch(/desc, asc/);
    expect(parseChoice('toString', 'x')).toMatch(/unknown choice toString/);
  });
});
