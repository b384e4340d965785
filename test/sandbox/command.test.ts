import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandFailure } from '../../src/core/diagnostics/diagnostic.ts';
import { runSandbox, type SandboxCommandOptions } from '../../src/kit/sandbox.ts';
import { temporaryFolder } from '../support/cleanup.ts';

function io(cwd = tmpdir()) {
  const stop = new AbortController();
  let printed: (text: string) => void = () => undefined;
  const stdout = new Promise<string>((resolve) => {
    printed = resolve;
  });
  const errors: string[] = [];
  return {
    stop,
    stdout,
    errors,
    io: {
      stdout: printed,
      stderr: (text: string) => void errors.push(text),
      stop: { soft: stop.signal, hard: stop.signal },
      cwd,
    },
  };
}

async function failure(options: SandboxCommandOptions, cwd?: string) {
  const error = await runSandbox(options, io(cwd).io).catch((thrown: unknown) => thrown);
  if (!(error instanceof CommandFailure)) throw error;
  return {
    exitCode: error.exitCode,
    codes: error.diagnostics.map(({ code }) => code),
    messages: error.diagnostics.map(({ message }) => message),
  };
}

describe('tradeform sandbox', () => {
  it('prints base URL and token, answers, and ends with 130 when stopped', async () => {
    const { io: streams, stdout, stop, errors } = io();
    const ended = runSandbox({ choice: ['date_header=absent'] }, streams);
    const [, baseUrl, token] =
      /^export TRADEFORM_BASE_URL=(http:\/\/127\.0\.0\.1:\d+\/v1)\nexport TRADEFORM_TOKEN=(svc_live_5a4d0b0c\.\S+)\n$/.exec(
        await stdout,
      ) ?? [];
    const response = await fetch(`${baseUrl}/me`, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, response.headers.get('date')]).toEqual([200, null]);
    expect(await response.json()).toMatchObject({ data: { login_username: 'sandbox' } });
    expect(errors.join('')).toMatch(/Ctrl-C/);
    stop.abort();
    expect(await ended).toBe(130);
    await expect(fetch(`${baseUrl}/me`)).rejects.toThrow();
  });

  it('prints one JSON line', async () => {
    const { io: streams, stdout, stop } = io();
    const ended = runSandbox({ output: 'json', quiet: true }, streams);
    const text = await stdout;
    expect(text.trim()).not.toContain('\n');
    expect(JSON.parse(text)).toMatchObject({
      base_url: expect.stringMatching(/\/v1$/),
      token: expect.any(String),
      pid: process.pid,
    });
    stop.abort();
    await ended;
  });

  it('uses the seed once, and the data file afterwards', async () => {
    const cwd = temporaryFolder('sandbox');
    writeFileSync(
      join(cwd, 'seed.yaml'),
      'accounts: [{id: one, tokens: [{token: svc_live_00000001}]}, {id: two}]',
    );
    const texts: string[] = [];
    for (const options of [
      { seed: 'seed.yaml', data: 'data' },
      { seed: 'seed.yaml', data: 'data' },
      { data: 'data' },
    ]) {
      const { io: streams, stdout, stop } = io(cwd);
      const ended = runSandbox(options, streams);
      texts.push((await stdout).replace(/^.*\n/, ''));
      stop.abort();
      await ended;
    }
    expect(texts[0]).toMatch(
      /^export TRADEFORM_TOKEN=svc_live_00000001\.\S+\n# account two: svc_live_5a4d0b0d\.\S+\n$/,
    );
    expect(texts[1]).toBe(texts[0]);
    expect(texts[2]).toBe(texts[0]);
  });

  it('refuses bad choices, seeds and data files with 3', async () => {
    const cwd = temporaryFolder('sandbox');
    writeFileSync(join(cwd, 'seed.yaml'), 'accounts: 1');
    writeFileSync(join(cwd, 'data'), 'not ours\n');
    expect(await failure({ choice: ['x=1', 'list_order=up', 'list_order'] }, cwd)).toMatchObject({
      exitCode: 3,
      codes: ['invalid-option', 'invalid-option', 'invalid-option'],
    });
    expect(await failure({ seed: 'seed.yaml' }, cwd)).toMatchObject({ exitCode: 3, codes: ['seed-invalid'] });
    expect(await failure({ seed: 'missing.yaml' }, cwd)).toMatchObject({
      exitCode: 3,
      codes: ['file-unreadable'],
    });
    expect(await failure({ data: 'data' }, cwd)).toMatchObject({ exitCode: 3, codes: ['data-file-invalid'] });
    expect(await failure({ data: 'no/such/folder' }, cwd)).toMatchObject({
      exitCode: 3,
      codes: ['data-file-invalid'],
    });
  });

  it('says that the port is in use, and ends with 1', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    expect(await failure({ port })).toMatchObject({ exitCode: 1, codes: ['port-unavailable'] });
    await new Promise((resolve) => blocker.close(resolve));
  });
});
