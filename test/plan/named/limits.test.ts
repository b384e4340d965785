import { describe, expect, test } from 'vitest';
import { desiredLabel, removal, uuid } from '../../support/builders.ts';
import { changeOf, operationsOf } from '../../support/plans.ts';
import { liveLabel, liveTemplate, planOf, template } from './world.ts';

describe('the limits of the service', () => {
  const labels = (count: number) =>
    Array.from({ length: count }, (_, index) => liveLabel(index + 1, `l${index}`));
  const templates = (count: number) =>
    Array.from({ length: count }, (_, index) => liveTemplate(index + 1, `t${index}`));
  const wanted = {
    labels: [desiredLabel('a'), desiredLabel('b')],
    templates: [template('a'), template('b')],
  };

  test.each([
    [18, 998, []],
    [19, 998, ['label/b']],
    [18, 999, ['sniper-template/b']],
    [20, 1000, ['label/a', 'label/b', 'sniper-template/a', 'sniper-template/b']],
  ])('%d labels and %d templates: %s find no place', (used, kept, refused) => {
    const plan = planOf({ ...wanted, liveLabels: labels(used), liveTemplates: templates(kept) });
    expect(plan.changes.flatMap(({ address, blocked }) => (blocked === null ? [] : [address]))).toEqual(
      refused,
    );
    for (const address of refused)
      expect(changeOf(plan, address)).toMatchObject({ reason: 'no-room', blocked: { ids: [] } });
  });

  test('each removal frees one place, of a label or a template; a blocked one frees none', () => {
    const plan = planOf({
      ...wanted,
      liveLabels: labels(20),
      liveTemplates: [...templates(999), liveTemplate(1000, 't0', { collection: 'copy-trade-template' })],
      over: {
        removals: [
          removal('label/l0'),
          removal('sniper-template/t1'),
          removal('copy-trade-template/t0'),
          removal('sniper-template/t2'),
        ],
      },
    });
    expect(operationsOf(plan, 'label/a')[0]?.needs).toEqual(['label/l0#1']);
    expect(changeOf(plan, 'label/b').reason).toBe('no-room');
    expect(operationsOf(plan, 'sniper-template/a')[0]?.needs).toEqual(['sniper-template/t1#1']);
    expect(operationsOf(plan, 'sniper-template/b')[0]?.needs).toEqual(['copy-trade-template/t0#1']);
    const claimed = planOf({
      labels: [desiredLabel('a'), desiredLabel('mine', { id: uuid(1), shownName: 'l0' })],
      liveLabels: labels(20),
      over: { removals: [removal('label/l0')] },
    });
    expect(changeOf(claimed, 'label/a').reason).toBe('no-room');
  });
});
