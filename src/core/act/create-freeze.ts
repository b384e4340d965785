import { randomUUID } from 'node:crypto';
import type { SwitchReport } from '../model/generated/report.ts';
import { kindOf } from '../model/kind.ts';
import type { Outcome } from '../ports/api.ts';
import type { Requests } from './requests.ts';
import { write } from './write.ts';

/** The ids of the labels that a pause set or found. */
export type FreezeIds = NonNullable<SwitchReport['freeze']>;

/** Creates the label that freezes an account. After a lost answer the same create is sent once more. */
export function createFreeze(name: string, requests: Requests, ids: FreezeIds): Promise<Outcome> {
  const body = { name, sort_order: 0 };
  const keys = { idempotencyKey: randomUUID(), alone: true };
  let last: Outcome | undefined;
  let sent = 0;
  return write<Outcome>(
    {
      next: () => {
        if (last !== undefined && (last.type !== 'lost' || sent === 2)) return { end: last };
        sent += 1;
        return { send: { method: 'POST', path: kindOf('label').path, body, ...keys } };
      },
      answered: (outcome) => {
        last = outcome;
        if (outcome.type === 'ok') ids.set.push(String(outcome.data?.id));
        return undefined;
      },
      read: () => undefined,
    },
    requests,
  );
}
