import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/cleanup.ts';
import { blocksOf, pageOf } from './pages.ts';
import { commandLine, ROOT, type Served, serve, tradeform } from './program.ts';

const folder = temporaryFolder('scripts');
const quickstart = join(folder, 'quickstart');
let service: Served;

beforeAll(async () => {
  cpSync(join(ROOT, 'examples/quickstart'), quickstart, { recursive: true });
  service = await serve(quickstart);
  const first = await tradeform(['apply', '--auto-approve', '--first-apply'], quickstart, service.env);
  expect(first.code, first.stderr).toBe(0);
});
afterAll(() => service?.stop());

async function printed(text: string): Promise<string> {
  const { code, stdout, stderr } = await commandLine(text, quickstart, {
    PATH: process.env.PATH ?? '',
    ...service.env,
  });
  expect(code, `${text}: ${stderr}`).toBe(0);
  return stdout;
}

/** jq is no dependency of ours: machines that lack it leave these out, and say so. */
describe.skipIf(spawnSync('jq', ['--version']).status !== 0)('the recipes with jq', () => {
  const recipes = blocksOf(pageOf('docs/how-to/scripting.md').text).filter(
    ({ language }) => language === 'sh',
  );

  test('print what they describe, with something to change', async () => {
    const file = join(quickstart, 'manifests/snipers/dawn.yaml');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/buy_amount: "?[\d.]+"?/, 'buy_amount: "0.21"'));
    await tradeform(['pause', 'sniper/launch-pump'], quickstart, service.env);
    const outputs: string[] = [];
    for (const recipe of recipes) outputs.push(await printed(recipe.text.trim()));
    const [running, large, total, odd, moves, starts, fields, drifted, codes, applied, paused, reacted] =
      outputs;
    expect(outputs).toHaveLength(12);
    expect(running).toMatch(/^sniper\/dawn\t0\.\d+$/m);
    expect(large).toBe('');
    expect(total).toMatch(/^\d+\.\d+\n$/);
    expect(odd).toContain('sniper/launch-pump: held\n');
    expect(JSON.parse(moves ?? '')).toEqual({ starts: [], stops: [], deletes: 0 });
    expect(starts).toBe('');
    expect(fields).toContain('sniper/dawn config.buy_amount: 0.2 -> 0.21\n');
    expect(drifted).toContain(' sniper/dawn\n');
    expect(codes).toBe('');
    expect(applied).toBe('done\n');
    expect(paused).toBe('{"address":"sniper/dawn","actions":["stop"],"status":"done"}\n');
    expect(reacted).toBe('nothing to do\n');
  }, 120_000);
});

test('the commands for incidents stop, show and start', async () => {
  const commands = blocksOf(pageOf('docs/how-to/incidents.md').text).flatMap(({ text }) =>
    text.split('\n').flatMap((line) => line.replace(/ +#.*/, '') || []),
  );
  expect(commands.slice(0, 2)).toEqual(['tradeform pause --all', 'tradeform status']);
  expect(commands).toHaveLength(10);
  for (const command of commands) {
    const yes = command.includes(' resume ') ? ' --auto-approve' : '';
    const { code } = await commandLine(`${command}${yes}`, quickstart, service.env);
    // What a drift or a pause finds depends on what stood there before.
    expect(command.includes(' drift') ? [0, 2] : [0], command).toContain(code);
  }
});
