import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { Interrupted, Requests } from '../../src/core/act/requests.ts';
import { SYSTEM_CLOCK } from '../../src/core/command/clock.ts';
import type { Api, ReadOutcome } from '../../src/core/ports/api.ts';

const OUTCOME: ReadOutcome = { type: 'unsent', detail: '', requestId: 'r-1' };

test('many requests are stopped by one listener', async () => {
  const stop = new AbortController();
  const listens = vi.spyOn(stop.signal, 'addEventListener');
  let answer: (() => void) | undefined;
  const answered = new Promise<ReadOutcome>((resolve) => {
    answer = () => resolve(OUTCOME);
  });
  const never = new Promise<ReadOutcome>(() => undefined);
  const wireTo = (outcome: Promise<ReadOutcome>) => {
    const api: Api = { get: () => outcome, write: () => outcome };
    return new Requests(api, SYSTEM_CLOCK, stop.signal);
  };
  const early = Array.from({ length: 50 }, () => wireTo(answered).get('/a'));
  const reads = Array.from({ length: 50 }, () => wireTo(never).get('/b'));
  const writes = Array.from({ length: 50 }, () => wireTo(never).write({ method: 'POST', path: '/c' }));
  answer?.();
  expect(await Promise.all(early)).toEqual(early.map(() => OUTCOME));
  expect(listens).toHaveBeenCalledTimes(1);

  stop.abort();
  const ends = await Promise.allSettled([...reads, ...writes]);
  const inFlight = ends.map(
    (end) => end.status === 'rejected' && end.reason instanceof Interrupted && end.reason.inFlight,
  );
  expect(inFlight).toEqual([...reads.map(() => false), ...writes.map(() => true)]);
  for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: { name: 'Interrupted' } });
  await expect(wireTo(answered).get('/d')).rejects.toBeInstanceOf(Interrupted);
});

test('a request that cannot be sent fails with its error, and its id is not kept', async () => {
  const failing: Api = { get: () => Promise.reject(new Error('no')), write: async () => OUTCOME };
  const wire = new Requests(failing, SYSTEM_CLOCK, new AbortController().signal);
  await expect(wire.get('/a')).rejects.toThrow('no');
  expect(wire.requestIds).toEqual([]);
  await wire.write({ method: 'POST', path: '/b' });
  expect(wire.requestIds).toEqual(['r-1']);
});

test('an answered request leaves nothing in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const signal = new AbortController().signal;
  const sent = async () => {
    const outcome = { ...OUTCOME };
    const answer = async () => outcome;
    await new Requests({ get: answer, write: answer }, SYSTEM_CLOCK, signal).get('/a');
    return new WeakRef(outcome);
  };
  const outcome = await sent();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(outcome.deref()).toBeUndefined();
  expect(signal.aborted).toBe(false);
});
