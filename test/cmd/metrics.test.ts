import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { metricsText } from '../../src/core/render/metrics.ts';
import {
  folder,
  projectFiles,
  type Ran,
  type RunningSandbox,
  readText,
  startSandbox,
  tradeform,
} from './run.ts';

const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString();
let sandbox: RunningSandbox;
let project: ReturnType<typeof folder>;
let monitor: Server;
let monitorUrl: string;
let answer = 200;
const pings: string[] = [];

beforeAll(async () => {
  const seed = {
    accounts: [
      { login_username: 'whales', tokens: [{ token: 'svc_live_0ca9a21e.secret', expires_at: LATER }] },
    ],
  };
  project = folder({ ...projectFiles(), 'seed.json': JSON.stringify(seed) });
  sandbox = await startSandbox([], join(project.path, 'seed.json'));
  monitor = createServer(({ method, url }, response) => {
    pings.push(`${method} ${url}`);
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
  monitorUrl = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/ping/secret-path?from=drift`;
});
beforeEach(() => {
  pings.length = 0;
  answer = 200;
});
afterAll(async () => {
  monitor.closeAllConnections();
  monitor.close();
});

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const own = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: 'svc_live_0ca9a21e.secret' };
  return tradeform(args, { cwd: project.path, env: { ...own, ...env } });
}

/** The samples of a file by name and labels. */
function samples(file: string): ReadonlyMap<string, number> {
  const lines = readText(project.path, file).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [, name, value] = /^([a-z].*) (\S+)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, Number(value)]];
    }),
  );
}

const APPLY = ['apply', '--auto-approve', '--first-apply', '--metrics', 'apply.prom'];
const DRIFT = ['drift', '--metrics', 'drift.prom'];
const of = (command: string) => `command="${command}",project="core"`;

describe('--metrics', () => {
  it('an apply: its result, its requests by status, and when the token expires', async () => {
    const begun = Date.now() / 1_000;
    expect(await run(APPLY)).toMatchObject({ code: 0 });
    const all = samples('apply.prom');
    expect(all.get(`tradeform_last_run_exit_code{${of('apply')}}`)).toBe(0);
    expect(all.get(`tradeform_applied{${of('apply')},status="done"}`)).toBe(2);
    expect(all.get(`tradeform_applied{${of('apply')},status="failed"}`)).toBe(0);
    expect(all.get(`tradeform_requests{${of('apply')},code="200"}`)).toBeGreaterThan(5);
    expect(all.get(`tradeform_requests{${of('apply')},code="201"}`)).toBe(2);
    expect(all.get(`tradeform_token_expiry_timestamp_seconds{${of('apply')}}`)).toBeCloseTo(
      Date.parse(LATER) / 1_000,
      0,
    );
    const success = all.get(`tradeform_last_success_timestamp_seconds{${of('apply')}}`) ?? 0;
    expect(success).toBeGreaterThanOrEqual(begun);
    expect(success).toBe(all.get(`tradeform_last_run_timestamp_seconds{${of('apply')}}`));
    expect(all.get(`tradeform_last_run_duration_seconds{${of('apply')}}`)).toBeLessThanOrEqual(
      success - begun + 1,
    );
  });

  it('drift: by class, the exposure now and in git, a manual change', async () => {
    expect(await run(DRIFT)).toMatchObject({ code: 0 });
    expect(samples('drift.prom').get(`tradeform_drift_items{${of('drift')},class="changed"}`)).toBe(0);
    writeFileSync(
      join(project.path, 'manifests/alpha.yaml'),
      projectFiles({ buy: '0.7' })['manifests/alpha.yaml'] ?? '',
    );
    expect(await run(['plan', '--metrics', 'plan.prom'])).toMatchObject({ code: 0 });
    const planned = samples('plan.prom');
    expect(planned.get(`tradeform_planned{${of('plan')},action="update"}`)).toBe(1);
    expect(planned.get(`tradeform_exposure_sol{${of('plan')},of="live"}`)).toBe(0.5015);
    expect(planned.get(`tradeform_exposure_sol{${of('plan')},of="git"}`)).toBe(0.7015);
    expect(planned.get(`tradeform_held_tasks{${of('plan')}}`)).toBe(0);
    expect(planned.get(`tradeform_unmanaged_running_tasks{${of('plan')}}`)).toBe(0);
  });

  it('a failed run keeps the time of the last success, reports its exit code, and drops earlier figures', async () => {
    const before = samples('drift.prom').get(`tradeform_last_success_timestamp_seconds{${of('drift')}}`);
    expect(before).toBeGreaterThan(0);
    const failed = await run(DRIFT, { TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another' });
    expect(failed.code).toBe(1);
    const after = samples('drift.prom');
    expect(after.get(`tradeform_last_success_timestamp_seconds{${of('drift')}}`)).toBe(before);
    expect(after.get(`tradeform_last_run_exit_code{${of('drift')}}`)).toBe(1);
    expect(after.get(`tradeform_requests{${of('drift')},code="401"}`)).toBeGreaterThan(0);
    expect([...after.keys()].filter((name) => name.startsWith('tradeform_drift_items'))).toEqual([]);
    expect(await run([...DRIFT, '--no-such-option'])).toMatchObject({ code: 3 });
    expect(samples('drift.prom').get(`tradeform_last_run_exit_code{${of('drift')}}`)).toBe(3);
    expect(samples('drift.prom').get(`tradeform_last_success_timestamp_seconds{${of('drift')}}`)).toBe(
      before,
    );
  });

  it('a value of the environment is hidden in the labels only', async () => {
    const env = { BR: 'tradeform_last' };
    const alpha = projectFiles()['manifests/alpha.yaml'] ?? '';
    writeFileSync(
      join(project.path, 'manifests/alpha.yaml'),
      alpha.replace('remark: Early launches', 'remark: "${env.BR}"'),
    );
    expect((await run(['plan', '--metrics', 'plan.prom'], env)).code).toBe(0);
    expect(samples('plan.prom').get(`tradeform_last_run_exit_code{${of('plan')}}`)).toBe(0);
    writeFileSync(join(project.path, 'manifests/alpha.yaml'), alpha.replace('"0.5"', '"0.7"'));
  });

  it('a report that cannot be written still lets the metrics report the failure', async () => {
    writeFileSync(join(project.path, 'foreign.json'), '{}');
    expect((await run(['plan', '--metrics', 'plan.prom', '--report', 'json=foreign.json'])).code).toBe(3);
    expect(samples('plan.prom').get(`tradeform_last_run_exit_code{${of('plan')}}`)).toBe(3);
  });

  it.each([
    ['notes.txt', 'is not a metrics report of tradeform'],
    ['manifests/alpha.yaml', 'must not end in .yaml'],
    ['seed.json', 'is not a metrics report of tradeform'],
  ])('does not overwrite %s, and nothing is sent', async (file, says) => {
    writeFileSync(join(project.path, 'notes.txt'), 'mine\n');
    const text = readText(project.path, file);
    const { code, stderr } = await run(['plan', '--metrics', file]);
    expect(code).toBe(3);
    expect(stderr.replace(/\s+/g, ' ')).toContain(says);
    expect(readText(project.path, file)).toBe(text);
  });

  it('a missing folder: nothing is done', async () => {
    const { code, stderr, stdout } = await run([
      'plan',
      '--metrics',
      'none/plan.prom',
      '--heartbeat',
      monitorUrl,
    ]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('--metrics none/plan.prom is not writable');
    expect(pings).toEqual([]);
  });

  it('promtool accepts them', (context) => {
    if (spawnSync('promtool', ['--version']).error !== undefined) context.skip('promtool is not installed');
    for (const file of ['apply.prom', 'drift.prom', 'plan.prom']) {
      const checked = spawnSync('promtool', ['check', 'metrics'], { input: readText(project.path, file) });
      expect([file, checked.status, `${checked.stdout}${checked.stderr}`]).toEqual([file, 0, '']);
    }
  });
});

describe('the text', () => {
  const facts = {
    command: 'drift',
    exitCode: 0,
    labels: { project: 'a"b\\c\nd' },
    ended: 9,
    duration: 1,
    requests: new Map(),
    tokenExpires: undefined,
  };
  const success = (text: string) => text.split('\n').filter((line) => /^tradeform_last_success/.test(line));
  const figures = [['tradeform_exposure_sol', '(secret)', { of: 'live' }]] as const;

  it('names with quotes, backslashes and line breaks stay one label; a secret amount is left out', () => {
    const text = metricsText(figures, { ...facts, exitCode: 2 }, '');
    expect(success(text)).toEqual([
      String.raw`tradeform_last_success_timestamp_seconds{command="drift",project="a\"b\\c\nd"} 9`,
    ]);
    expect(text).not.toContain('exposure');
    // A failure that does not know the project keeps the label as it is written.
    const failed = { ...facts, exitCode: 1, labels: {}, ended: 10 };
    expect(success(metricsText([], failed, text))).toEqual(success(text));
  });

  it('the success of another project or command is not kept, and neither is one in the future', () => {
    const failed = { ...facts, exitCode: 1 };
    const former = metricsText(figures, { ...facts, labels: { project: 'former' } }, '');
    expect(success(metricsText(figures, failed, former))).toEqual([]);
    expect(success(metricsText([], { ...failed, command: 'plan' }, former))).toEqual([]);
    const own = metricsText(figures, facts, '');
    expect(success(metricsText(figures, { ...failed, ended: 10 }, own))).toEqual(success(own));
    expect(success(metricsText(figures, { ...failed, ended: 8 }, own))).toEqual([]);
  });
});

describe('--heartbeat', () => {
  it('one request after a successful run, none after a failed one', async () => {
    expect(await run(['drift', '--heartbeat', monitorUrl])).toMatchObject({ code: 2 });
    expect(pings.splice(0)).toEqual(['GET /ping/secret-path?from=drift']);
    const failed = await run(['drift', '--heartbeat', monitorUrl], {
      TRADEFORM_TOKEN: 'svc_live_0ca9a21e.another',
    });
    expect(failed.code).toBe(1);
    expect(pings).toEqual([]);
  });

  it.each([404, 302])(
    'an answer of HTTP %i is a warning that names the host only; the exit code stays',
    async (status) => {
      answer = status;
      const { code, stderr } = await run(['drift', '--heartbeat', monitorUrl]);
      expect(code).toBe(2);
      expect(stderr.replace(/\s+/g, ' ')).toContain(
        `did not reach ${new URL(monitorUrl).host}: it answered with HTTP ${status}`,
      );
      expect(stderr).not.toContain('secret-path');
      expect(pings).toHaveLength(1);
    },
  );

  it.each([
    'http://monitor.example/x',
    'ftp://x',
    'https://user:secret-word@monitor.example/x',
    'https://a.example/?a#b',
  ])('%s is refused before anything is sent, and not repeated', async (url) => {
    const { code, stdout, stderr } = await run(['drift', '--metrics', 'refused.prom', '--heartbeat', url]);
    expect(code).toBe(3);
    expect(stderr).toContain('the heartbeat URL cannot be used');
    expect(stdout + stderr).not.toContain('secret-word');
    expect(existsSync(join(project.path, 'refused.prom'))).toBe(true);
  });
});
