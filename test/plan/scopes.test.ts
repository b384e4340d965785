import { expect, test } from 'vitest';
import { makePlan } from '../../src/core/plan/plan.ts';
import { missingScopes } from '../../src/core/plan/scopes.ts';
import {
  desiredLabel,
  desiredState,
  desiredTask,
  liveState,
  liveTask,
  planInput,
  wallet,
} from '../support/builders.ts';

const LIVE = [
  liveTask(1, { remark: 'Note [git:core/gone@1]' }),
  liveTask(2, { remark: 'Note [git:core/kept@1]', target_wallet: wallet(1) }),
];
const DESIRED = desiredState(
  [
    desiredTask('kept', { target_wallet: wallet(1), note: 'Else' }),
    desiredTask('c', { collection: 'copy-trade' }),
  ],
  [desiredLabel('high')],
);

test('every scope that the operations need and the token lacks is named once, with its changes', () => {
  const plan = makePlan(planInput(DESIRED, liveState(LIVE)));
  const messages = (...scopes: string[]) =>
    missingScopes(plan, scopes, 'error').map(({ message }) => message);
  expect(messages('sniper:write', 'sniper:delete', 'copytrade:write')).toEqual([]);
  expect(messages('sniper:write', 'copytrade:write')).toEqual([
    'The token lacks the scope sniper:delete, which sniper/gone needs.',
  ]);
  expect(messages('sniper:delete')).toHaveLength(3);
});

test('a plan warns about them only if the token can write at all', () => {
  const codes = (scopes: string[]) => {
    const live = liveState(LIVE);
    const account = { ...live.account, scopes };
    return makePlan(planInput(DESIRED, { ...live, account })).diagnostics.map(({ code }) => code);
  };
  expect(codes(['sniper:read', 'copytrade:read'])).not.toContain('scope-missing');
  expect(codes(['sniper:write', 'copytrade:write'])).toContain('scope-missing');
});
