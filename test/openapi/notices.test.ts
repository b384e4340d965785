import { beforeAll, describe, expect, it } from 'vitest';
import { taskBody } from '../sandbox/service.ts';
import { Coverage, type Service, startService } from './caller.ts';
import { readDocument } from './document.ts';
import { type Judge, makeJudge } from './judge.ts';

/** That the tour can fail: each of these answers is wrong in one point. */

const judge = makeJudge(readDocument());
let service: Service;
let id = '';

beforeAll(async () => {
  service = await startService(judge, new Coverage());
  const headers = { 'idempotency-key': 'notices-01' };
  const created = await service.call(judge.operation('createSniperTask'), {
    headers,
    body: taskBody('sniper'),
  });
  id = created.data.id;
});

async function problemsOf(judgedBy: Judge = judge, operationId = 'getSniperTask'): Promise<string[]> {
  const operation = judgedBy.operation(operationId);
  return judgedBy.answer(operation, await service.send(operation, { id }));
}

async function answering(status: number, body: object | undefined, headers: Record<string, string> = {}) {
  const text = body === undefined ? '' : JSON.stringify(body);
  service.sandbox.faults.add({ times: 1, fault: { type: 'status', status, body: text, headers } });
  return problemsOf();
}

const HEADERS = { 'x-request-id': 'r-1', etag: '"v1"' };

describe('a broken sandbox', () => {
  it('is noticed by a missing, malformed or misplaced header', async () => {
    expect(await problemsOf()).toEqual([]);
    const faults: [Record<string, string>, string[], string[]][] = [
      [{}, ['etag'], ['etag is missing']],
      [{ etag: 'W/"v1"' }, [], ['etag is W/"v1"']],
      [{}, ['x-request-id'], ['x-request-id is missing']],
      [{ 'retry-after': '1' }, [], ['retry-after is not documented']],
      [{ 'content-type': 'text/html' }, [], ['the content type is not JSON']],
    ];
    for (const [set, remove, problems] of faults) {
      service.sandbox.faults.add({ times: 1, fault: { type: 'headers', set, remove } });
      expect(await problemsOf()).toEqual(problems);
    }
    service.sandbox.faults.add({ times: 1, fault: { type: 'headers', set: { etag: '"v1"' } } });
    expect(await problemsOf(judge, 'listLabels')).toEqual(['etag is not documented']);
    const limited = { type: 'error', code: 'rate_limit_exceeded', retry_after: null } as const;
    service.sandbox.faults.add({ times: 1, fault: limited });
    expect(await problemsOf()).toEqual(['retry-after is missing']);
  });

  it('is noticed by an undocumented status, or a code under the wrong one', async () => {
    expect(await answering(202, {})).toEqual(['status 202 is not documented']);
    expect(await answering(412, {})).toEqual(['status 412 is not documented']);
    const error = (code: string) => ({ error: { code, message: 'm' }, request_id: 'r' });
    expect(await answering(404, error('not_found'))).toEqual([]);
    expect(await answering(400, error('not_found'))).toHaveLength(1);
    expect(await answering(404, error('version_conflict'))).toHaveLength(1);
    expect(await answering(409, error('version_conflict'))).toEqual([]);
    expect(await answering(409, error('conflict'))).toHaveLength(1);
    expect(await answering(409, { error: { code: 'version_conflict', message: 'm' } })).toHaveLength(1);
  });

  it('is noticed by any field of a body that is missing or has another type', async () => {
    const whole = JSON.parse((await service.send(judge.operation('getSniperTask'), { id })).text);
    expect(await answering(200, whole, HEADERS)).toEqual([]);
    const optional = ['risk_label_id'];
    for (const field of Object.keys(whole.data)) {
      const { [field]: _gone, ...rest } = whole.data;
      const problems = await answering(200, { ...whole, data: rest }, HEADERS);
      expect(problems, field).toHaveLength(optional.includes(field) ? 0 : 1);
      const odd = { ...whole, data: { ...whole.data, [field]: ['odd'] } };
      expect(await answering(200, odd, HEADERS), field).toHaveLength(1);
    }
    expect(await answering(200, { data: whole.data }, HEADERS)).toHaveLength(1);
    expect(await answering(200, undefined, HEADERS)).toEqual(['the body is not JSON']);
  });
});
