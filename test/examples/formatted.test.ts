import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { tradeform } from '../cmd/run.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const projects = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:^|[\\/])tradeform\.yaml$/.test(file))
  .map((file) => dirname(file));

it('there are examples of all sizes', () => {
  expect(projects).toEqual(expect.arrayContaining(['quickstart', 'fleet', join('concepts', 'task-set')]));
});

it.each(projects)('%s is written as fmt writes it', async (project) => {
  const { code, stdout } = await tradeform(['fmt', '--check'], { cwd: join(EXAMPLES, project) });
  expect([code, stdout]).toEqual([0, '']);
});
