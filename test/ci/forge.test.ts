import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Masking } from '../../src/core/render/masking/masking.ts';
import { keepComment } from '../../src/kit/comment/comment.ts';
import { openForge } from '../../src/kit/forge/open.ts';
import { type FakeHost, type Fault, FORGE_TOKEN, HOSTS, startHost } from './host.ts';

/** The port to a forge, on each host: what it does while the host throttles, fails or does not answer. Time passes at once. */

const SUBJECT = { command: 'plan', project: 'core', environment: '-' };
const BODY = '<!-- tradeform:plan project=core environment=- digest=- -->\nText\n';

describe.each(HOSTS)('%s', (name) => {
  let host: FakeHost;
  beforeAll(async () => {
    host = await startHost(name);
  });
  beforeEach(() => host.reset());

  /** Writes a comment. Why not, and how long was waited. */
  async function write(...faults: readonly Fault[]): Promise<{ error: string | undefined; waited: number }> {
    host.faults.push(...faults);
    let waited = 0;
    const clock = {
      now: () => Date.parse('2026-11-21T09:00:00Z'),
      sleep: async (ms: number) => {
        waited += ms;
      },
    };
    const env = { ...host.env, GITLAB_CI: String(name === 'gitlab') };
    const forge = openForge(env, { masking: new Masking(), clock, random: () => 0.5 });
    const error = await keepComment(forge, 7, SUBJECT, () => BODY).then(
      () => undefined,
      (failure: Error) => failure.message,
    );
    await forge.close();
    return { error, waited };
  }

  const READ = /^GET .*(?:comments|notes)/;
  const WRITE = /^POST .*(?:comments|notes)/;

  it.each([502, 503, 500])('%i is retried', async (status) => {
    const whose = { on: /graphql|\/user/, status };
    const { error, waited } = await write({ on: READ, status }, whose, { on: READ, status });
    expect([error, host.comments.length]).toEqual([undefined, 1]);
    expect(waited).toBeGreaterThan(1_000);
  });

  it.each([
    ['with an answer', { status: 502 }],
    ['with an answer, and done', { status: 502, done: true }],
    ['without one', { lost: true }],
    ['without one, and done', { lost: true, done: true }],
  ])('a write that is lost %s creates no second comment', async (_name, fault) => {
    expect((await write({ on: WRITE, ...fault })).error).toBeUndefined();
    expect(host.comments).toHaveLength(1);
  });

  const reset = String(Date.parse('2026-11-21T09:00:20Z') / 1_000);
  it.each<[string, Omit<Fault, 'on'>, number]>([
    ['429', { status: 429, headers: { 'retry-after': '7' } }, 7_000],
    ['429 without a time', { status: 429 }, 60_000],
    ['a secondary limit', { status: 403, headers: { 'retry-after': '30' } }, 30_000],
    [
      'a primary limit',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } },
      20_000,
    ],
  ])('%s is waited for', async (_name, fault, waited) => {
    expect(await write({ on: WRITE, ...fault })).toEqual({ error: undefined, waited });
    expect(host.comments).toHaveLength(1);
  });

  it('a limit that lasts an hour is not waited for', async () => {
    const { error, waited } = await write({ on: WRITE, status: 403, headers: { 'retry-after': '3600' } });
    expect(waited).toBe(0);
    expect(error).toMatch(/^Git(?:Hub|ea|Lab) answered POST \S+ with 403/);
  });

  it('gives up after some attempts, and after some writes without an answer', async () => {
    const { error } = await write(...Array.from({ length: 9 }, () => ({ on: READ, status: 502 })));
    expect(error).toContain('with 502');
    expect(host.faults.length).toBe(4);
    const lost = await write(...Array.from({ length: 9 }, () => ({ on: WRITE, lost: true })));
    expect(lost.error).toMatch(/cannot be reached: POST/);
    expect(host.comments).toEqual([]);
  });

  it.each([
    ['is no list', {}, /without a list/],
    ['is a page of a gateway', '<html>', /is not JSON|without a list/],
  ])('an answer that %s is no empty list', async (_name, value, says) => {
    const { error } = await write({ on: READ, status: 200, value });
    expect(error).toMatch(says);
    expect(host.comments).toEqual([]);
  });

  it('does not write where it is not told whose the token is', async () => {
    expect((await write({ on: /graphql|\/user/, status: 200, value: {} })).error).toMatch(/does not say who/);
    expect(host.comments).toEqual([]);
  });

  it.runIf(name !== 'gitlab')('of a next page on another host only the query is taken', async () => {
    const link = '<http://127.0.0.1:1/api/v3/repos/desk/tasks/issues/7/comments?page=2>; rel="next"';
    const { error } = await write({ on: READ, status: 200, value: [], headers: { link } });
    expect(error).toBeUndefined();
    expect(host.requests).toContain('GET /repos/desk/tasks/issues/7/comments?page=2');
  });

  it.runIf(name === 'gitea')('a token that jobs of all repositories share is refused', async () => {
    const value = { id: -2, login: 'gitea-actions' };
    expect((await write({ on: /\/user/, status: 200, value })).error).toMatch(
      /^GITHUB_TOKEN is of gitea-actions, as whom the jobs of all repositories/,
    );
    expect(host.comments).toEqual([]);
  });

  it('an API that cannot be one is told, without the token', async () => {
    const env = { ...host.env, GITLAB_CI: String(name === 'gitlab') };
    const elsewhere = { ...env, GITHUB_API_URL: 'ftp://x', CI_API_V4_URL: 'ftp://x' };
    const masking = new Masking();
    const open = () =>
      openForge(elsewhere, {
        masking,
        clock: { now: () => 0, sleep: async () => {} },
        random: () => 0,
      });
    expect(open).toThrow(/^the API of Git(?:Hub|ea|Lab): /);
    expect(masking.text(`x ${FORGE_TOKEN}`)).not.toContain(FORGE_TOKEN);
  });
});
