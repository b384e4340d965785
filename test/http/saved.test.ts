import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SeedAccount } from '../../src/core/model/generated/sandbox.ts';
import { type Ran, tradeform } from '../cmd/run.ts';
import { sampled } from '../support/sample.ts';
import { inPools } from './pool.ts';
import { json, killLeftovers, start } from './program.ts';
import { ACCOUNT, MANIFESTS, ONCE, problemsOf } from './reference.ts';
import { makeRepository, planOf } from './repository.ts';
import { type Service, startService } from './service.ts';

const READS = 8;
const repository = makeRepository(MANIFESTS);

interface Place {
  readonly service: Service;
  /** A plan of the untouched reference account, made over HTTP at this service. */
  readonly file: string;
}
let places: readonly Place[];
let place: Place;

beforeAll(async () => {
  places = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const service = await startService();
      service.reset(ACCOUNT);
      const file = join(repository.path, `plan-${name}.json`);
      const { code, stderr } = await tradeform(['plan', '--out', file, '--quiet'], at(service));
      expect(code, stderr).toBe(0);
      expect(service.writes).toBe(0);
      return { service, file };
    }),
  );
  [place = { service: await startService(), file: '' }] = places;
});
afterAll(killLeftovers);

function at(service: Service) {
  return { cwd: repository.path, env: service.env };
}

interface Result {
  readonly exit_code: number;
  readonly diagnostics: readonly { code: string; address?: string; message: string }[];
}

/** In this process: what is done to the one that is killed needs one of its own. */
function applied({ service, file }: Place, ...more: readonly string[]): Promise<Ran> {
  return tradeform(['apply', file, '-o', 'json', '--quiet', ...more], at(service));
}

async function refused(where: Place, exitCode: number, ...more: readonly string[]): Promise<Result> {
  const ended = await applied(where, ...more);
  expect(ended.code, ended.stderr).toBe(exitCode);
  expect(where.service.writes, 'nothing may be written').toBe(0);
  const writes = where.service.sandbox.log.filter(({ method }) => method !== 'GET');
  expect(writes, 'nothing may be sent but reads').toEqual([]);
  const result = json<Result>(ended);
  expect(result).toMatchObject({ format: 'tradeform.result/1', exit_code: exitCode });
  return result;
}

describe('a saved plan', () => {
  it('is applied, and a second time finds all of it done', async () => {
    place.service.reset(ACCOUNT);
    const first = await applied(place);
    expect(first.code, first.stderr).toBe(0);
    expect(problemsOf(place.service.sandbox)).toEqual([]);
    const { writes } = place.service;
    expect((await applied(place)).code).toBe(0);
    expect(place.service.writes).toBe(writes);
  });

  it('is refused at another account, service, project or environment', async () => {
    const [, second] = places;
    if (second === undefined) throw new Error('no second service');
    const desk = makeRepository(MANIFESTS);
    const project = join(desk.path, 'tradeform.yaml');
    writeFileSync(project, readFileSync(project, 'utf8').replace('"core"', '"desk-2"'));
    place.service.reset({ ...ACCOUNT, login_username: 'minnows' } satisfies SeedAccount);
    second.service.reset(ACCOUNT);
    const elsewhere = [await refused(place, 4), await refused({ ...second, file: place.file }, 4)];
    place.service.reset(ACCOUNT);
    elsewhere.push(
      json(await tradeform(['apply', place.file, '-o', 'json', '-C', desk.path], at(place.service))),
    );
    for (const { diagnostics } of elsewhere) {
      expect(diagnostics[0]).toMatchObject({
        code: 'digest-differs',
        message: expect.stringMatching(/made for another project/),
      });
    }
    expect(await refused(place, 3, '-e', 'production')).toMatchObject({
      diagnostics: [{ code: 'invalid-option', message: expect.stringMatching(/^--environment/) }],
    });
  });

  it('killed at every write, is continued by applying the same file again', {
    timeout: 300_000,
  }, async () => {
    place.service.reset(ACCOUNT);
    await applied(place);
    const steps = Array.from({ length: place.service.requests - READS }, (_, index) => READS + index);
    expect(steps.length).toBeGreaterThan(38);
    await inPools(sampled(steps, 10), places, async (step, where) => {
      const { service, file } = where;
      service.reset(ACCOUNT);
      const { child, ended } = start(['apply', file, '-o', 'json', '--quiet'], at(service));
      const kill = (index: number) => {
        if (index !== step) return undefined;
        child.kill('SIGKILL');
        return 'hang' as const;
      };
      const moment = step % 2 === 0 ? 'before' : 'after';
      service.hooks = { [moment]: kill };
      await ended;
      await service.quiet();
      const label = `killed ${moment} request ${step}`;
      service.hooks = {};
      const once = service.sandbox.state.tasks.get(ONCE);
      const ambiguous = once?.is_active === false && once.config.buy_amount === '0.1';
      const again = await applied(where);
      if (ambiguous) {
        // Nobody can tell this pause from a first trade: such a chain is not continued (DESIGN 3).
        expect(again.code, label).toBe(4);
        expect(json<Result>(again).diagnostics[0]?.message, label).toContain('sniper/once');
        return;
      }
      expect(again.code, `${label}\n${again.stdout}`).toBe(0);
      expect(problemsOf(service.sandbox), label).toEqual([]);
      expect(
        [...service.starts.values()].filter((times) => times > 1),
        label,
      ).toEqual([]);
      expect((await planOf(repository, service.sandbox)).operations, label).toEqual([]);
    });
  });
});
