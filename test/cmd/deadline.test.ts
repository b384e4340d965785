import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { starter } from '../../src/core/project/git-start.ts';
import { openProject, type ProjectRun } from '../features/project-run.ts';
import { PROJECT, sniper } from '../manifest/samples.ts';
import { wallet } from '../support/builders.ts';
import { executable, tradeform } from './run.ts';

/** Every command ends in time, and says which bound ended it. */

let project: ProjectRun;
let env: Record<string, string>;
let server: Server | undefined;
beforeEach(async () => {
  project = await openProject();
  env = { TRADEFORM_BASE_URL: project.baseUrl, TRADEFORM_TOKEN: project.sandbox.tokens()[0]?.token ?? '' };
});
afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const run = (args: readonly string[], more: Record<string, string> = {}) =>
  tradeform(args, { cwd: project.path, env: { ...env, ...more } });

const OVER = /out of time \(--deadline 1s\)/;

describe('a service that answers again and again', () => {
  /** With pages that have one new item and one new cursor each, or by asking to wait. */
  async function answering(how: 'pages' | 'waits'): Promise<string> {
    let asked = 0;
    const item = (id: number) => ({
      id: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
      remark: '',
      name: 'x',
      target_wallet: wallet(0),
      risk_label_id: null,
      config: {},
      is_active: true,
      version: 1,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    });
    const headers = { authorization: `Bearer ${env.TRADEFORM_TOKEN}` };
    const me = await project.sandbox.request({ method: 'GET', path: '/me', headers });
    server = createServer((request, answer) => {
      asked += 1;
      const ok = (data: object) => answer.end(JSON.stringify({ data, request_id: `r${asked}` }));
      if (how === 'pages' && request.url?.endsWith('/me')) answer.end(me.body);
      else if (how === 'pages' && request.url?.endsWith('/labels')) ok({ items: [] });
      else if (how === 'pages') setTimeout(() => ok({ items: [item(asked)], next_cursor: `c${asked}` }), 5);
      else {
        const error = { code: 'rate_limit_exceeded', message: 'slow down' };
        answer.writeHead(429, { 'retry-after': '1' }).end(JSON.stringify({ error, request_id: `r${asked}` }));
      }
    });
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  it('with "wait" holds no command longer than --deadline', { timeout: 30_000 }, async () => {
    const baseUrl = await answering('waits');
    const commands =
      'plan,apply --auto-approve,drift,status,doctor,export,resume --all,release --id 5e0c1d2a-0000-4000-8000-0000000000aa';
    const ends = commands.split(',').map(async (words) => {
      const { code, stderr } = await run([...words.split(' '), '--base-url', baseUrl, '--deadline', '1s']);
      expect([words, code, stderr]).toEqual([words, 130, expect.stringMatching(OVER)]);
      expect(stderr).toContain('--deadline or TRADEFORM_DEADLINE');
    });
    await Promise.all(ends);
  });

  it('with pages without end is left at the deadline of the environment', { timeout: 20_000 }, async () => {
    const args = ['plan', '--base-url', await answering('pages'), '-o', 'json'];
    const { code, stdout } = await run(args, { TRADEFORM_DEADLINE: '1s' });
    expect([code, stdout]).toEqual([130, expect.stringMatching(OVER)]);
  });
});

describe('tasks', () => {
  const names = Array.from({ length: 6 }, (_, index) => `task-${index}`);
  /** All of them run. */
  async function running(amount: string): Promise<void> {
    project.write('tradeform.yaml', `${PROJECT}spec: { settle: { update: 2s }, manifests: ["t/*.yaml"] }\n`);
    for (const [index, name] of names.entries())
      project.write(`t/${name}.yaml`, sniper({ name, amount, wallet: `"${wallet(index)}"` }));
  }
  const states = () => [...project.sandbox.state.tasks.values()].map(({ is_active: runs }) => runs);

  it('in progress are finished by an apply, and the rest says why it was not begun', {
    timeout: 40_000,
  }, async () => {
    await running('0.5');
    const first = ['--auto-approve', '--first-apply'];
    expect(await run(['apply', ...first])).toMatchObject({ code: 0 });
    await running('0.6');
    const args = ['apply', '--auto-approve', '--concurrency', '1', '--deadline', '3s'];
    const { code, stdout, stderr } = await run([...args, '-o', 'json']);
    expect(code).toBe(130);
    const { outcome, summary, changes } = JSON.parse(stdout);
    expect(outcome).toBe('interrupted');
    expect(summary.done).toBeGreaterThan(0);
    expect(summary.skipped).toBeGreaterThan(0);
    expect(summary.failed + summary.unknown).toBe(0);
    expect(changes.at(-1).text).toBe('Not started: out of time (--deadline 3s).');
    expect(stderr).toContain('Stopping, out of time (--deadline 3s): tasks in progress are finished');
    expect(states()).toEqual(names.map(() => true));
    // What is left is done by the next run.
    expect(await run(['apply', '--auto-approve'])).toMatchObject({ code: 0 });
  });

  it('are all tried by pause, whatever the deadline is', { timeout: 40_000 }, async () => {
    await running('0.5');
    expect(await run(['apply', '--auto-approve', '--first-apply'])).toMatchObject({ code: 0 });
    project.sandbox.faults.add({ method: 'POST', times: 0, fault: { type: 'delay', ms: 300 } });
    const { code, stdout } = await run(['pause', '--all', '--concurrency', '1', '--deadline', '1s']);
    expect(states()).toEqual(names.map(() => false));
    expect([0, 130]).toContain(code);
    expect(stdout).toContain('6 tasks');
  });
});

it('a pipe into which nobody writes is left at the deadline, and so is the process', {
  timeout: 30_000,
}, async () => {
  const pipe = join(project.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', `exec 3> ${pipe}; sleep 60`], { stdio: 'ignore' });
  try {
    const token = ['--token-file', pipe, '--deadline', '1s'];
    for (const args of [
      ['plan', ...token],
      ['apply', '--auto-approve', ...token],
      ['apply', pipe, '--deadline', '1s'],
    ]) {
      const { code, stderr } = await executable(args, {
        cwd: project.path,
        env: { TRADEFORM_BASE_URL: project.baseUrl },
      });
      expect([args, code, stderr]).toEqual([args, 130, expect.stringMatching(OVER)]);
    }
  } finally {
    writer.kill('SIGKILL');
  }
});

it('a git that ignores the request to end is ended', { timeout: 20_000 }, () => {
  const file = join(project.path, 'git');
  writeFileSync(file, '#!/bin/sh\ntrap "" TERM\nwhile :; do sleep 0.1; done\n');
  chmodSync(file, 0o755);
  const git = starter({ file, path: process.env.PATH ?? '' }, {}, 300);
  const answer = git.wait(['rev-parse', 'HEAD'] as never, { cwd: project.path, variables: {} });
  expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('ETIMEDOUT') });
});

it.each(['100m', '10000s', '9999999999ms'])('a project may not ask for a wait of %s', async (time) => {
  project.write('tradeform.yaml', `${PROJECT}spec: { settle: { replace: ${time} } }\n`);
  const { code, stdout, stderr } = await run(['validate']);
  expect([code, stdout + stderr]).toEqual([3, expect.stringContaining('spec.settle.replace')]);
});

it.each([
  [['plan', '--deadline', 'soon'], {}],
  [['plan'], { TRADEFORM_DEADLINE: '90' }],
])('%j with %j is no deadline', async (args, variables) => {
  const { code, stderr } = await run(args, variables);
  expect([code, stderr]).toEqual([3, expect.stringContaining('Write a duration such as 90s, 10m or 1h')]);
});
