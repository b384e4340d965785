import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../cmd/program.ts';
import { usageDiagnostic } from '../../cmd/usage.ts';
import { runInMemory } from '../features/in-memory.ts';

test.each([
  ['stop', 'tradeform pause'],
  ['halt', 'tradeform pause'],
  ['start', 'tradeform resume'],
  ['unpause', 'tradeform resume'],
  ['list', 'tradeform status'],
  ['pasue', 'pause'],
  ['resum', 'resume'],
  ['staus', 'status'],
])('%s: did you mean %s?', async (written, meant) => {
  let hint: string | undefined;
  await runInMemory({ cwd: '/', env: {} }, async (io) => {
    const error = await buildProgram(io, () => undefined)
      .parseAsync([written, '--all'], { from: 'user' })
      .catch((thrown: unknown) => thrown);
    if (error instanceof CommanderError) hint = usageDiagnostic(error).hint;
    return 0;
  });
  expect(hint).toBe(`Did you mean ${meant}?`);
});
