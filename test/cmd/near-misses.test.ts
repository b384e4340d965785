import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { unknownVariables } from '../../cmd/environment.ts';
import { usageDiagnostic } from '../../cmd/main.ts';
import { buildProgram } from '../../cmd/program.ts';
import { runInMemory } from '../features/in-memory.ts';

test.each([
  ['stop', 'pause'],
  ['halt', 'pause'],
  ['start', 'resume'],
  ['unpause', 'resume'],
  ['list', 'status'],
  ['fleet halt', 'pause'],
  ['fleet plam', 'plan'],
  ['pasue', 'pause'],
  ['resum', 'resume'],
  ['staus', 'status'],
  ['history', 'log'],
  ['destroy', 'apply, after its manifests are removed from git'],
  ['delete', 'apply, after its manifests are removed from git'],
  ['undo', 'rollback'],
  ['import', 'init --from-live'],
  ['plan sniper/moon', '--target ADDRESS'],
  ['release sniper/moon', 'release --id ID, or a Removal with release: true for what git names'],
  ['rollback --dry-run', 'plan, or rollback REV, which shows its plan and asks'],
  ['apply -y', '--auto-approve'],
  ['pause --all --for 2h', 'resume --all --auto-approve in cron (a pause has no end of its own)'],
  ['fleet resume --due', 'resume --all --auto-approve in cron (a pause has no end of its own)'],
  ['apply --yes', '--auto-approve'],
  [
    'fleet plan --changed-since main',
    '--select, --exclude and --tag, or plan --base REV, which says what a change does',
  ],
  ['rehearse', 'plan: it orders the requests, and refuses what cannot be done'],
  ['apply --rehearse', 'plan: it orders the requests, and refuses what cannot be done'],
  [
    'apply --replan evening.plan',
    'apply FILE, which plans again and carries out what is left of the plan in it',
  ],
  ['plan --only change --base main', '--only pending, or no --only: everything'],
])('%s: did you mean %s?', async (written, meant) => {
  expect(await hintOf(written)).toBe(`Did you mean ${meant}?`);
});

test('a word that is none of tradeform is answered alike as an option and as a variable', async () => {
  const hint =
    'Output shows the wallets that the manifests show: give it to those who may read the repository.';
  expect(await hintOf('plan --redact-wallets')).toBe(hint);
  expect(await hintOf('comment plan x --page')).toMatch(/^The page is an artifact of the job: /);
  expect(await hintOf('comment reviewed x --no-tell')).toMatch(
    /^The comment about an apply is always written/,
  );
  expect(unknownVariables({ TRADEFORM_REDACT_WALLETS: '1' })).toMatchObject([{ code: 'env-unknown', hint }]);
});

async function hintOf(written: string): Promise<string | undefined> {
  let hint: string | undefined;
  await runInMemory({ cwd: '/', env: {} }, async (io) => {
    const error = await buildProgram(io, () => undefined)
      .parseAsync(written.split(' '), { from: 'user' })
      .catch((thrown: unknown) => thrown);
    if (error instanceof CommanderError) hint = usageDiagnostic(error).hint;
    return 0;
  });
  return hint;
}
