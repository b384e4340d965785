import { randomUUID } from 'node:crypto';
import { kindOf } from '../model/kind.ts';
import type { Outcome } from '../ports/api.ts';
import type { Requests } from './requests.ts';
import { type Intent, type Next, write } from './write.ts';

/** Creates the label that freezes an account. After a lost answer the same create is sent once more. */
export function createFreeze(name: string, requests: Requests): Promise<Outcome> {
  return write(new FreezeCreate(name), requests);
}

class FreezeCreate implements Intent<Outcome> {
  private readonly key = randomUUID();
  private outcome: Outcome | undefined;
  private sent = 0;
  private readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  next(): Next<Outcome> {
    const { outcome, name } = this;
    if (outcome !== undefined && (outcome.type !== 'lost' || this.sent === 2)) return { end: outcome };
    this.sent += 1;
    const body = { name, sort_order: 0 };
    const path = kindOf('label').path;
    return { send: { method: 'POST', path, body, idempotencyKey: this.key, alone: true } };
  }

  answered(outcome: Outcome): undefined {
    this.outcome = outcome;
  }

  read(): undefined {}
}
