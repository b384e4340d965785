import { expect, it } from 'vitest';
import { doneStakes } from '../../../src/core/documents/plan.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { ApplyReport } from '../../../src/core/model/generated/report.ts';

it('what an apply came to is what was done and what was read afterwards, never what was planned', () => {
  const change = (address: string) => ({
    address,
    starts_trading: true,
    stops_trading: false,
    operations: ['x'],
  });
  const plan = {
    exposure: { before: '10', after: '21' },
    changes: [change('sniper/done'), change('sniper/paused'), change('sniper/blocked')],
  } as unknown as Plan;
  const report = {
    outcome: 'incomplete',
    changes: [
      { address: 'sniper/done', status: 'done' },
      { address: 'sniper/paused', status: 'failed' },
      { address: 'sniper/blocked', status: 'blocked' },
    ],
    left_paused: [{ address: 'sniper/paused' }],
    summary: { held: 0, blocked: 1 },
    trading: { running: 1, sol: '9', outside: [{ project: null, tasks: 2, sol: '3', unreadable: 0 }] },
  } as unknown as ApplyReport;
  const { outside } = report.trading ?? {};
  const counts = { starts: 1, stops: 1, changes: 1, blocked: 1, outside };
  expect(doneStakes(plan, report)).toEqual({ before: '10', after: '9', ...counts });
  const { trading: _, ...unread } = report;
  expect(doneStakes(plan, unread as ApplyReport)).toBeUndefined();
  expect(doneStakes(plan, undefined)).toMatchObject({ before: '10', after: '10', changes: 0 });
});
