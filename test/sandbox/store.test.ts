import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { changesOf, emptyState, type SandboxState } from '../../src/sandbox/state.ts';
import { DataFileError, openFileStore } from '../../src/sandbox/store-file.ts';
import fc from '../properties.ts';
import { bundleChild, type Child, scratch, startChild } from './process.ts';
import { startService, taskBody } from './service.ts';

function opened(file: string) {
  const state = emptyState();
  const store = openFileStore(file, state);
  return { state, store };
}

const contents = (state: SandboxState) =>
  [...changesOf(state)].map((change) => JSON.stringify(change)).sort();

describe('the data file', () => {
  it('is readable only by its owner, because it contains tokens', async () => {
    const file = join(scratch(), 'data');
    await startService(opened(file)).sandbox.close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it.each([1, 5, 40])('drops an incomplete last line and continues: %i bytes short', async (short) => {
    const file = join(scratch(), 'data');
    const first = startService(opened(file));
    const kept = await first.make('sniper', 1);
    await first.make('sniper', 2);
    await first.sandbox.close();
    truncateSync(file, statSync(file).size - short);

    const second = startService(opened(file));
    expect([...second.sandbox.state.tasks.keys()]).toEqual([kept.id]);
    second.pass(1);
    second.sandbox.apply([...changesOf(first.sandbox.state)].filter((change) => change.type === 'task'));
    await second.sandbox.close();
    expect(opened(file).state.tasks.size).toBe(2);
  });

  it('refuses a file that is damaged in the middle or has another format', async () => {
    const folder = scratch();
    const file = join(folder, 'data');
    const first = startService(opened(file));
    await first.make('sniper', 1);
    await first.sandbox.close();
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], 'garbage', ...lines.slice(2)].join('\n'));
    expect(() => opened(file)).toThrow(DataFileError);
    const other = join(folder, 'other');
    for (const text of [
      '{"some": "json"}\n',
      'plain text',
      'a\nb\n',
      '{"format":"tradeform.sandbox-data/2"}\n[]\n',
    ]) {
      writeFileSync(other, text);
      expect(() => opened(other)).toThrow(DataFileError);
      expect(readFileSync(other, 'utf8')).toBe(text);
    }
    expect(() => opened(folder)).toThrow(DataFileError);
  });

  it('refuses a damaged line, also the last one', async () => {
    const file = join(scratch(), 'data');
    const first = startService(opened(file));
    await first.make('sniper', 1);
    await first.make('sniper', 2);
    await first.sandbox.close();
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n').slice(0, -1);
    const spoilt = lines.map((line, at) => [
      ...lines.slice(0, at),
      line.replace(/"/, "'"),
      ...lines.slice(at + 1),
    ]);
    for (const damaged of spoilt) {
      writeFileSync(file, `${damaged.join('\n')}\n`);
      expect(() => opened(file)).toThrow(DataFileError);
    }
    writeFileSync(file, text);
    expect(opened(file).state.tasks.size).toBe(2);
  });

  it('refuses a line of another shape', async () => {
    const file = join(scratch(), 'data');
    await startService(opened(file)).sandbox.close();
    const text = readFileSync(file, 'utf8');
    for (const content of ['7', 'null', '[{"type":"task"}]']) {
      writeFileSync(file, `${text}${content}\n`);
      expect(() => opened(file), content).toThrow(DataFileError);
    }
  });

  it('is replaced by a snapshot when it is opened, in one step', async () => {
    const folder = scratch();
    const file = join(folder, 'data');
    const { state, store } = opened(file);
    const sandbox = createSandbox({ state, store });
    const [account = ''] = state.accounts.keys();
    for (let sort_order = 0; sort_order < 100; sort_order += 1) {
      const record = { id: 'l', account, name: 'n', sort_order, created_at: 1, updated_at: 1 };
      sandbox.apply([{ type: 'label', record }]);
    }
    await sandbox.close();
    const lines = () => readFileSync(file, 'utf8').split('\n').length;
    expect(lines()).toBeGreaterThan(100);
    const again = opened(file);
    expect(lines()).toBeLessThan(10);
    expect(again.state.labels.get('l')?.sort_order).toBe(99);
    await again.store.close();
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('stops answering when another process has changed or replaced the file', async () => {
    for (const spoil of [
      (file: string) => appendFileSync(file, '[]\n'),
      (file: string) => {
        copyFileSync(file, `${file}2`);
        renameSync(`${file}2`, file);
      },
    ]) {
      const file = join(scratch(), 'data');
      const service = startService(opened(file));
      await service.make('sniper', 1);
      spoil(file);
      await expect(service.make('sniper', 2)).rejects.toThrow(/another process/);
      await expect(service.make('sniper', 3)).rejects.toThrow(/another process/);
      // Neither the same create again, which the memory of keys would answer, nor a read of a value that is only in memory.
      await expect(service.make('sniper', 2)).rejects.toThrow(/another process/);
      await expect(service.ask('GET', '/sniper/configs')).rejects.toThrow(/another process/);
      await expect(service.sandbox.close()).rejects.toThrow(/another process/);
    }
  });

  it('replays any history to the same state', async () => {
    const operation = fc.record({
      kind: fc.constantFrom('sniper', 'copy-trade', 'transfer-snipe'),
      what: fc.nat(5),
      which: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (operations) => {
        const file = join(scratch(), 'data');
        const service = startService(opened(file));
        const { tasks, labels } = service.sandbox.state;
        for (const [n, { kind, what, which }] of operations.entries()) {
          service.pass(1);
          const task = [...tasks.values()][which % Math.max(1, tasks.size)];
          if (what === 0 || task === undefined) await service.make(kind, n);
          else if (what === 1)
            await service.ask('POST', '/labels', { body: { name: `l${n}`, sort_order: n } });
          else if (what === 2) {
            const [risk_label_id = null] = labels.keys();
            await service.ask('PATCH', `/${task.collection}/configs/${task.id}`, {
              body: { risk_label_id },
              ifMatch: task.version,
            });
          } else if (what === 3)
            await service.ask('POST', `/${task.collection}/configs/${task.id}/resume`, {
              ifMatch: task.version,
            });
          else if (what === 4) await service.ask('DELETE', `/labels/${[...labels.keys()][0] ?? 'x'}`);
          else
            await service.ask('DELETE', `/${task.collection}/configs/${task.id}`, { ifMatch: task.version });
        }
        await service.sandbox.close();
        expect(contents(opened(file).state)).toEqual(contents(service.sandbox.state));
      }),
      { numRuns: 30 },
    );
  });
});

describe('a killed sandbox', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundleChild(scratch());
  });

  async function create({ baseUrl, token }: Child, n: number): Promise<string> {
    const response = await fetch(`${baseUrl}/sniper/configs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `create-${n}-xx`,
      },
      body: JSON.stringify(taskBody('sniper', n)),
    });
    const text = await response.text();
    return response.status === 201 ? JSON.parse(text).data.id : Promise.reject(new Error(text));
  }

  it('restarts with everything that it had answered, with SIGKILL at any moment', async () => {
    const folder = scratch();
    const data = join(folder, 'data');
    const seed = join(folder, 'seed.json');
    writeFileSync(seed, JSON.stringify({ accounts: [{ quota: { max: 1000 } }] }));
    const answered = new Set<string>();
    let token: string | undefined;
    let n = 0;
    for (const after of [1, 7, 20, 40]) {
      const child = await startChild(script, { data, seed });
      token ??= child.token;
      expect(child.token).toBe(token);
      const enough = answered.size + after;
      const worker = async () => {
        for (;;) {
          n += 1;
          answered.add(await create(child, n));
          if (answered.size === enough) child.process.kill('SIGKILL');
        }
      };
      const failures = await Promise.allSettled(Array.from({ length: 6 }, worker));
      expect(failures.map(({ status }) => status)).toEqual(Array(6).fill('rejected'));
      await child.ended;
      const state = emptyState();
      await openFileStore(data, state).close();
      for (const id of answered) expect(state.tasks.has(id)).toBe(true);
    }
  });

  it('keeps its data file to itself, until it ends or is killed', async () => {
    const data = join(scratch(), 'data');
    const first = await startChild(script, { data });
    await expect(startChild(script, { data })).rejects.toThrow(/ended with 99: .*process id \d+ uses it/s);
    const id = await create(first, 1);
    first.process.kill('SIGKILL');
    await first.ended;
    const second = await startChild(script, { data });
    second.process.kill('SIGTERM');
    await second.ended;
    expect([...opened(data).state.tasks.keys()]).toEqual([id]);
  });

  it('answers nothing any more after a write could not be stored', async () => {
    const data = join(scratch(), 'data');
    const child = await startChild(script, { data });
    await create(child, 1);
    appendFileSync(data, 'somebody else');
    await expect(create(child, 2)).rejects.toThrow(/internal_error/);
    await expect(create(child, 2)).rejects.toThrow(/internal_error/);
    const reply = await fetch(`${child.baseUrl}/me`, { headers: { authorization: `Bearer ${child.token}` } });
    expect(reply.status).toBe(500);
    child.process.kill('SIGKILL');
    await child.ended;
  });

  it('ends with 130 at SIGTERM, and keeps everything', async () => {
    const data = join(scratch(), 'data');
    const child = await startChild(script, { data });
    const id = await create(child, 1);
    child.process.kill('SIGTERM');
    expect(await child.ended).toBe(130);
    expect([...opened(data).state.tasks.keys()]).toEqual([id]);
  });
});
