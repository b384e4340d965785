import { describe, expect, it } from 'vitest';
import type { WriteRequest } from '../../../src/core/ports/api.ts';
import type { ProgressEvent } from '../../../src/core/ports/output.ts';
import { type HttpResponse, TransportError } from '../../../src/core/ports/transport.ts';
import { createApi } from '../../../src/core/service/http/client.ts';
import { AdaptiveLimiter } from '../../../src/core/service/limits/limiter.ts';
import fc from '../../properties.ts';
import { CANARY, fakeTransport, inTurn, json, ok, type Reply, refusal, virtualClock } from './fakes.ts';

const TASK = { id: 'a', version: 3 };
const PATCH: WriteRequest = { method: 'PATCH', path: '/sniper/configs/a', body: { remark: 'x' }, ifMatch: 3 };
const HTML: HttpResponse = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<html>Bad gateway</html>',
};

function setUp(...replies: Reply[]) {
  return setUpBy(inTurn(...replies));
}

function setUpBy(answer: ReturnType<typeof inTurn>) {
  const clock = virtualClock();
  const transport = fakeTransport(answer);
  const limiter = new AdaptiveLimiter({ most: 8, clock, random: () => 0.5 });
  const events: ProgressEvent[] = [];
  const api = createApi({
    transport,
    token: CANARY,
    clock,
    random: () => 0.5,
    userAgent: 'tradeform/test',
    limiter,
    progress: { emit: (event) => events.push(event) },
  });
  return { api, clock, transport, limiter, events };
}

describe('headers', () => {
  it('carry the token, the user agent, and nothing about a body on a read', async () => {
    const { api, transport } = setUp(ok(TASK));
    await api.get('/me');
    expect(transport.requests).toEqual([
      {
        method: 'GET',
        path: '/me',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${CANARY}`,
          'user-agent': 'tradeform/test',
        },
      },
    ]);
  });

  it('carry If-Match and the content type on a patch', async () => {
    const { api, transport } = setUp(ok(TASK));
    await api.write(PATCH);
    expect(transport.requests[0]?.body).toBe('{"remark":"x"}');
    expect(transport.requests[0]?.headers).toMatchObject({
      'if-match': '"v3"',
      'content-type': 'application/json',
    });
    expect(transport.requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('carry the idempotency key on a create, and no content type without a body', async () => {
    const { api, transport } = setUp(ok(TASK));
    await api.write({ method: 'POST', path: '/labels', body: { name: 'x' }, idempotencyKey: 'k'.repeat(64) });
    await api.write({ method: 'POST', path: '/sniper/configs/a/pause', ifMatch: 4 });
    expect(transport.requests[0]?.headers).toMatchObject({ 'idempotency-key': 'k'.repeat(64) });
    expect(transport.requests[1]?.headers).not.toHaveProperty('content-type');
    expect(transport.requests[1]).not.toHaveProperty('body');
  });
});

describe('answers', () => {
  it.each([
    ['"v3"', 3],
    ['W/"v3"', 3],
    ['"v12345678"', 12345678],
    ['v3', undefined],
    ['"3"', undefined],
    ['"v0"', undefined],
    ['"v3x"', undefined],
    ['"v99999999999999999999"', undefined],
  ])('reads the version from ETag %s', async (etag, version) => {
    const { api } = setUp(ok(TASK, { etag }));
    expect(await api.write(PATCH)).toMatchObject({ type: 'ok', version });
  });

  it('reads Date, data, status and request id', async () => {
    const { api } = setUp(
      json(201, { data: TASK, meta: { request_id: 'r' } }, { date: 'Sat, 21 Nov 2026 12:00:05 GMT' }),
    );
    expect(await api.get('/x')).toEqual({
      type: 'ok',
      status: 201,
      data: TASK,
      version: undefined,
      requestId: 'r',
      date: Date.parse('2026-11-21T12:00:05Z'),
    });
  });

  it.each([
    ['204', { status: 204, headers: { 'x-request-id': 'q' }, body: '' }],
    ['200 and empty', { status: 200, headers: { 'x-request-id': 'q' }, body: '' }],
    ['200 and an envelope without data', json(200, { meta: { request_id: 'q' } })],
  ])('accepts a delete that answers %s', async (_name, reply) => {
    const { api } = setUp(reply);
    const outcome = await api.write({ method: 'DELETE', path: '/labels/a' });
    expect(outcome).toMatchObject({ type: 'ok', data: null, requestId: 'q' });
  });

  it('passes on any refusal, also unknown codes, and limits its length', async () => {
    const { api, transport } = setUp(
      json(418, {
        error: {
          code: 'brand_new',
          message: `${'m'.repeat(480)} ${'address'.repeat(5)} ${'m'.repeat(10_000)}`,
          fields: Array.from({ length: 50 }, (_, index) => ({
            path: `$.${index}`,
            reason: 'r'.repeat(5_000),
          })),
        },
        request_id: 'q'.repeat(1_000),
      }),
    );
    const outcome = await api.write(PATCH);
    if (outcome.type !== 'error') throw new Error(outcome.type);
    expect(outcome).toMatchObject({ status: 418, code: 'brand_new' });
    expect(outcome.message).toBe(`${'m'.repeat(480)} …`);
    expect(outcome.fields).toHaveLength(20);
    expect(outcome.fields[3]?.path).toBe('$.3');
    expect(outcome.fields[3]?.reason.length).toBeLessThanOrEqual(200);
    expect(outcome.requestId?.length).toBeLessThanOrEqual(128);
    expect(transport.requests).toHaveLength(1);
  });

  it('leaves the service’s words raw; rendering escapes them', async () => {
    const { api } = setUp(json(400, { error: { code: 'invalid_request', message: '\u001b[31mred\r\n' } }));
    expect(await api.get('/x')).toMatchObject({
      message: '\u001b[31mred\r\n',
      fields: [],
      requestId: undefined,
    });
  });
});

const UNREADABLE: [string, HttpResponse][] = [
  ['a web page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>hello</html>' }],
  ['half a document', { status: 200, headers: {}, body: '{"data":{"items":[{"id":' }],
  ['an error in a success', json(200, { error: { code: 'internal_error', message: '' }, data: {} })],
  ['no data', json(200, { meta: { request_id: 'req-1' } })],
  ['a list for data', json(200, { data: [] })],
  ['an empty body', { status: 200, headers: {}, body: '' }],
  ['204 where a resource is due', { status: 204, headers: {}, body: '' }],
  ['a gateway’s 404', { status: 404, headers: {}, body: '<html>not found</html>' }],
  ['a 403 without code', json(403, { error: { message: 'no' } })],
  ['an odd status', json(206, { data: {} })],
];

describe('an unreadable answer', () => {
  it.each(UNREADABLE)('to a read, %s, is read again and then lost', async (_name, reply) => {
    const { api, transport } = setUp(reply);
    expect(await api.get('/x')).toMatchObject({
      type: 'lost',
      detail: expect.stringContaining(`status ${reply.status}`),
    });
    expect(transport.requests).toHaveLength(3);
  });

  it.each(UNREADABLE)('to a read, %s, is forgotten when the next one is valid', async (_name, reply) => {
    const { api } = setUp(reply, ok(TASK));
    expect(await api.get('/x')).toMatchObject({ type: 'ok', data: TASK });
  });

  it.each(UNREADABLE)('to a write, %s, is lost and never repeated', async (_name, reply) => {
    const { api, transport } = setUp(reply, ok(TASK));
    expect(await api.write(PATCH)).toMatchObject({ type: 'lost' });
    expect(transport.requests).toHaveLength(1);
  });

  it('keeps the request id if there is one', async () => {
    const { api } = setUp({ ...HTML, headers: { 'x-request-id': 'gate-7' } });
    expect(await api.write(PATCH)).toMatchObject({ type: 'lost', requestId: 'gate-7' });
  });

  it('a redirect is no answer, at once', async () => {
    const { api, transport } = setUp({
      status: 302,
      headers: { location: 'https://elsewhere.invalid/' },
      body: '',
    });
    expect(await api.get('/x')).toMatchObject({ type: 'lost', detail: expect.stringMatching(/redirect/) });
    expect(transport.requests).toHaveLength(1);
  });
});

describe('what is repeated', () => {
  const FAILURES: [string, Reply][] = [
    ['429', refusal(429, 'rate_limit_exceeded')],
    ['503', refusal(503, 'service_unavailable')],
    ['500', refusal(500, 'internal_error')],
    ['a gateway’s 502', HTML],
    ['a gateway’s 503', { ...HTML, status: 503 }],
    ['a gateway’s 504', { ...HTML, status: 504 }],
    ['a gateway’s 429', { ...HTML, status: 429 }],
    ['lost', new TransportError('lost', 'gone')],
    ['unsent', new TransportError('unsent', 'refused')],
  ];

  it.each(FAILURES)('a read after %s', async (_name, reply) => {
    const { api, transport } = setUp(reply, reply, ok(TASK));
    expect(await api.get('/x')).toMatchObject({ type: 'ok' });
    expect(transport.requests).toHaveLength(3);
  });

  it.each(FAILURES)('a read after %s, but not for ever', async (_name, reply) => {
    const { api, transport, clock } = setUp(reply);
    const begun = clock.now();
    const outcome = await api.get('/x');
    expect(outcome.type).not.toBe('ok');
    expect(transport.requests.length).toBeLessThanOrEqual(20);
    expect(clock.now() - begun).toBeLessThanOrEqual(181_000);
  });

  it.each([
    ['429', refusal(429, 'rate_limit_exceeded')],
    ['503', refusal(503, 'service_unavailable')],
    ['429 of a code to come', refusal(429, 'calm_down')],
    ['unsent', new TransportError('unsent', 'refused')],
  ] as [string, Reply][])('a write after %s', async (_name, reply) => {
    const { api, transport } = setUp(reply, ok(TASK));
    expect(await api.write(PATCH)).toMatchObject({ type: 'ok' });
    expect(transport.requests).toHaveLength(2);
    expect(transport.requests[1]).toEqual(transport.requests[0]);
  });

  it.each([
    ['500', refusal(500, 'internal_error')],
    ['503 that says internal_error', refusal(503, 'internal_error')],
    ['502 with an error body', refusal(502, 'bad_gateway')],
    ['a gateway’s 502', HTML],
    ['a gateway’s 503', { ...HTML, status: 503 }],
    ['a gateway’s 429', { ...HTML, status: 429 }],
    ['a lost answer', new TransportError('lost', 'gone')],
  ] as [string, Reply][])('never a write after %s: it is lost', async (_name, reply) => {
    const { api, transport } = setUp(reply, ok(TASK));
    expect(await api.write(PATCH)).toMatchObject({ type: 'lost' });
    expect(transport.requests).toHaveLength(1);
  });

  it.each([
    ['validation_error', 400],
    ['version_conflict', 409],
    ['not_found', 404],
    ['quota_exceeded', 409],
    ['quota_exceeded', 429],
    ['label_name_exists', 503],
    ['invalid_api_token', 401],
  ] as const)('never anything after %s, even as %d', async (code, status) => {
    const { api, transport } = setUp(refusal(status, code), ok(TASK));
    expect(await api.get('/x')).toMatchObject({ type: 'error', code });
    expect(await api.write(PATCH)).toMatchObject({ type: 'ok' });
    expect(transport.requests).toHaveLength(2);
  });

  it.each([
    ['429', refusal(429, 'rate_limit_exceeded')],
    ['503', refusal(503, 'service_unavailable')],
  ] as [string, Reply][])('tells what a write ends with after a %s as repeated', async (_name, throttle) => {
    const conflict = await setUp(throttle, refusal(409, 'version_conflict')).api.write(PATCH);
    expect(conflict).toMatchObject({ type: 'error', code: 'version_conflict', repeated: true });
    expect(await setUp(throttle, ok(TASK)).api.write(PATCH)).toMatchObject({ type: 'ok', repeated: true });
    const lost = await setUp(throttle, new TransportError('lost', 'gone')).api.write(PATCH);
    expect(lost).toMatchObject({ type: 'lost', repeated: true });
    expect(await setUp(throttle).api.write(PATCH)).toMatchObject({ type: 'error', repeated: true });
  });

  it('does not call a throttled write unsent when its repetition is unsent', async () => {
    const { api } = setUp(refusal(503, 'service_unavailable'), new TransportError('unsent', 'refused'));
    expect(await api.write(PATCH)).toMatchObject({ type: 'lost', detail: 'refused', repeated: true });
  });

  it.each([
    ['at once', []],
    ['after it was certainly not sent', [new TransportError('unsent', 'refused')]],
  ] as [string, Reply[]][])('does not call a write repeated that is refused %s', async (_name, before) => {
    const { api } = setUp(...before, refusal(409, 'version_conflict'));
    expect(await api.write(PATCH)).not.toHaveProperty('repeated');
  });

  it('ends with the refusal when the pause leaves no time', async () => {
    const { api, transport } = setUp(refusal(429, 'rate_limit_exceeded', { 'retry-after': '50' }));
    expect(await api.write(PATCH)).toMatchObject({ type: 'error', code: 'rate_limit_exceeded' });
    expect(transport.requests.length).toBeLessThan(6);
  });

  it('ends after its deadline even if each attempt takes its time', async () => {
    const clock = virtualClock();
    const transport = fakeTransport(async () => {
      await clock.sleep(70_000);
      throw new TransportError('lost', 'too slow');
    });
    const api = createApi({ transport, token: CANARY, clock, random: () => 0.5, userAgent: 't' });
    expect(await api.get('/x')).toMatchObject({
      type: 'lost',
      detail: 'too slow (tradeform gave up: no answer within 180 s)',
    });
    expect(transport.requests).toHaveLength(3);
  });

  it('ends unsent when the shared pause outlasts its deadline', async () => {
    const transport = fakeTransport(() => refusal(429, 'rate_limit_exceeded', { 'retry-after': '50' }));
    const clock = virtualClock();
    const limits = { deadline: 20_000 };
    const api = createApi({ transport, token: CANARY, clock, random: () => 0.5, userAgent: 't', limits });
    expect(await api.get('/a')).toMatchObject({ type: 'error' });
    expect(await api.write(PATCH)).toMatchObject({ type: 'unsent' });
    expect(transport.requests).toHaveLength(1);
  });

  it('does not hide a bug of the transport', async () => {
    const { api } = setUpBy(() => {
      throw new TypeError('bug');
    });
    await expect(api.get('/x')).rejects.toThrow('bug');
  });
});

describe('Retry-After', () => {
  const at = (ms: number) => new Date(ms).toUTCString();
  const start = virtualClock().now();

  it.each([
    ['seconds', { 'retry-after': '7' }, 7_000, 7_500],
    ['a date against our clock', { 'retry-after': at(start + 9_000) }, 9_000, 9_500],
    [
      'a date against the answer’s own Date',
      { 'retry-after': at(5_000_000), date: at(4_995_000) },
      5_000,
      5_500,
    ],
    ['a date gone by', { 'retry-after': at(start - 60_000) }, 100, 1_000],
    ['nothing', {}, 100, 1_000],
    ['nought', { 'retry-after': '0' }, 100, 1_000],
    ['a negative number', { 'retry-after': '-5' }, 100, 1_000],
    ['a word', { 'retry-after': 'soon' }, 100, 1_000],
    ['two minutes', { 'retry-after': '120' }, 60_000, 60_500],
  ])('as %s is waited for, within limits', async (_name, headers, least, most) => {
    const { api, clock } = setUp(
      refusal(429, 'rate_limit_exceeded', headers as Record<string, string>),
      ok(TASK),
    );
    expect(await api.get('/x')).toMatchObject({ type: 'ok' });
    expect(clock.now() - start).toBeGreaterThanOrEqual(least);
    expect(clock.now() - start).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a year', '31536000'],
    ['a number beyond all', '9'.repeat(400)],
    ['a date far away', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ])('as %s ends a read at once', async (_name, after) => {
    const busy = () => refusal(429, 'rate_limit_exceeded', { 'retry-after': after });
    const { api, clock } = setUp(busy(), ok(TASK));
    const read = await api.get('/x');
    expect(read).toMatchObject({
      type: 'error',
      message: expect.stringContaining('a request may take 180 s'),
    });
    expect(clock.now() - start).toBeLessThan(1_000);
  });

  it('makes all requests wait, and reports it once', async () => {
    const first = refusal(429, 'rate_limit_exceeded', { 'retry-after': '30' });
    const times: number[] = [];
    const { api, clock, events } = setUpBy((_request, index) => {
      times.push(clock.now() - start);
      return index === 0 ? first : ok(TASK);
    });
    const throttled = api.get('/a');
    await new Promise(setImmediate);
    await Promise.all([throttled, api.get('/b'), api.write(PATCH)]);
    expect(times[0]).toBe(0);
    expect(times.slice(1)).toHaveLength(3);
    for (const time of times.slice(1)) expect(time).toBeGreaterThanOrEqual(30_000);
    expect(events).toEqual([{ type: 'waiting', reason: 'the service asked to slow down', ms: 30_000 }]);
  });
});

describe('the limiter', () => {
  it('halves on 429 and grows again with success', async () => {
    let throttle = true;
    const { api, limiter } = setUpBy(() => (throttle ? refusal(429, 'rate_limit_exceeded') : ok(TASK)));
    expect(limiter.limit).toBe(8);
    const running = api.get('/x');
    await new Promise(setImmediate);
    expect(limiter.limit).toBe(4);
    throttle = false;
    await running;
    for (let index = 0; index < 60; index += 1) await api.get('/x');
    expect(limiter.limit).toBe(8);
  });

  it('counts refusals of simultaneous requests as one', async () => {
    const limits: number[] = [];
    const { api, limiter } = setUpBy((_request, index) => {
      limits.push(limiter.limit);
      return index < 6 ? refusal(429, 'rate_limit_exceeded') : ok(TASK);
    });
    await Promise.all(Array.from({ length: 6 }, () => api.get('/x')));
    expect(limits.slice(0, 7)).toEqual([8, 8, 8, 8, 8, 8, 4]);
  });
});

describe('the token', () => {
  const echoes: [string, Reply][] = [
    [
      'a refusal',
      json(400, {
        error: {
          code: `c ${CANARY}`,
          message: `bad header Bearer ${CANARY}`,
          fields: [{ path: CANARY, reason: 'CANARYsecretCANARY' }],
        },
        request_id: CANARY,
      }),
    ],
    ['a transport error', new TransportError('lost', `failed with Authorization: Bearer ${CANARY}`)],
    ['a request id', { ...HTML, headers: { 'x-request-id': CANARY } }],
    ['a 500', json(500, { error: { code: CANARY, message: CANARY } })],
  ];
  it.each(echoes)('does not come back in %s', async (_name, reply) => {
    const { api } = setUp(reply);
    const outcomes = JSON.stringify([await api.get('/x'), await api.write(PATCH)]);
    expect(outcomes).not.toContain('CANARY');
  });
});

it('whatever is answered, a write is sent once unless it was certainly not carried out', async () => {
  const replies = fc.oneof(
    fc.record({
      status: fc.constantFrom(200, 201, 204, 301, 400, 404, 409, 429, 500, 502, 503, 504),
      headers: fc.constant({}),
      body: fc.oneof(
        fc.constantFrom(
          '',
          '<html>',
          '{',
          '{"data":{}}',
          '{"error":{"code":"internal_error"}}',
          '{"error":{"code":"service_unavailable"}}',
        ),
        fc.json(),
      ),
    }),
    fc.constantFrom('lost' as const, 'unsent' as const),
  );
  await fc.assert(
    fc.asyncProperty(replies, async (reply) => {
      const made: Reply = typeof reply === 'string' ? new TransportError(reply, 'x') : reply;
      const { api, transport } = setUp(made);
      const outcome = await api.write(PATCH);
      expect(['ok', 'error', 'lost', 'unsent']).toContain(outcome.type);
      if (outcome.type === 'ok' || outcome.type === 'lost') expect(transport.requests).toHaveLength(1);
    }),
    { numRuns: 300 },
  );
});

describe('an answer whose body is that of an earlier one', () => {
  const CREATE: WriteRequest = { method: 'POST', path: '/sniper/configs', body: {}, idempotencyKey: 'k' };
  const under = (header: string) =>
    json(201, { data: TASK, meta: { request_id: 'of the body' } }, { 'x-request-id': header });

  it('names another request than its header', async () => {
    const { api } = setUp(under('of the body'), under('of the body'), under('another'));
    await api.get('/me');
    const [first, second] = [await api.write(CREATE), await api.write(CREATE)];
    expect(first).toMatchObject({ type: 'ok' });
    expect(first).not.toHaveProperty('replayed');
    expect(second).toMatchObject({ type: 'ok', replayed: true });
  });

  it('is not recognized behind a gateway that numbers all answers itself', async () => {
    const { api } = setUp(under('of the gateway'), under('another'));
    await api.get('/me');
    const answer = await api.write(CREATE);
    expect(answer).toMatchObject({ type: 'ok' });
    expect(answer).not.toHaveProperty('replayed');
  });
});

describe('a write on which nothing depends', () => {
  const LABEL: WriteRequest = { method: 'POST', path: '/labels', body: { name: 'freeze' }, alone: true };

  it('waits alone when the service asks it to slow down', async () => {
    const slow = refusal(429, 'rate_limit_exceeded', { 'retry-after': '30' });
    let asked = 0;
    const { api, clock, transport } = setUpBy(({ path }) =>
      path === '/labels' && asked++ === 0 ? slow : ok(TASK),
    );
    const start = clock.now();
    const label = api.write(LABEL);
    await api.write(PATCH);
    expect(clock.now() - start).toBe(0);
    expect(await label).toMatchObject({ type: 'ok' });
    expect(transport.requests.map(({ path }) => path)).toEqual(['/labels', PATCH.path, '/labels']);
    expect(clock.now() - start).toBe(30_000);
  });
});

describe('a write that can be forbidden', () => {
  const VETOED = { type: 'vetoed', code: 'frozen', message: '' } as const;

  it('is asked about again after each wait, and not sent once it is forbidden', async () => {
    const { api, clock, transport } = setUp(
      refusal(429, 'rate_limit_exceeded', { 'retry-after': '12' }),
      ok(TASK),
    );
    let readAt = clock.now();
    let looks = 0;
    const veto = {
      isFresh: () => clock.now() - readAt < 5_000,
      look: async () => {
        looks += 1;
        readAt = clock.now();
        return VETOED;
      },
    };
    expect(await api.write({ ...PATCH, veto })).toMatchObject({ code: 'frozen', repeated: true });
    expect([looks, transport.requests.length]).toEqual([1, 1]);
  });

  it('is sent after a look that allows it', async () => {
    const { api, transport } = setUp(ok(TASK));
    let fresh = false;
    const veto = {
      isFresh: () => fresh,
      look: async () => {
        fresh = true;
        return undefined;
      },
    };
    expect(await api.write({ ...PATCH, veto })).toMatchObject({ type: 'ok' });
    expect(transport.requests).toHaveLength(1);
  });
});
