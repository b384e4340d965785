import { describe, expect, it } from 'vitest';
import {
  CHOICE_NAMES,
  type ChoiceName,
  type Choices,
  makeChoices,
  parseChoice,
} from '../../src/sandbox/choices.ts';
import { choiceOf, drawChoices } from '../support/choices.ts';
import { CHOICE_TESTS } from './choice-tests.ts';
import { type Loose, startService } from './service.ts';

/** Every value of every choice has a test: the table is typed by choice, and each entry runs with each value. */
describe.each(CHOICE_NAMES)('choice %s', (name: ChoiceName) => {
  it.each([...choiceOf(name).values])('%s', async (value) => {
    const check = CHOICE_TESTS[name] as (value: string | number, choices: Partial<Choices>) => Promise<void>;
    await check(value, { [name]: value });
  });

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
