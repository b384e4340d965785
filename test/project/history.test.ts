import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { manifestsDigest } from '../../src/core/desired/digest.ts';
import { DEPTH, History, type HistoryRequest, type PastProject } from '../../src/core/project/history.ts';
import { openRepository, readProjectAt } from '../../src/core/project/revision.ts';
import { label, PROJECT, sniper } from '../manifest/samples.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { commitAll, type TestRepository, testRepository } from '../support/repository.ts';

let repository: TestRepository;
const env = { PATH: process.env.PATH, HOME: tmpdir() };

beforeEach(() => {
  repository = testRepository();
});

/** A task with this amount, committed under this name. */
function commit(amount: string, subject = amount): string {
  repository.write('p/manifests/a.yaml', sniper({ amount }));
  return commitAll(repository.git, subject);
}

function request(over: Partial<HistoryRequest> = {}, path = repository.path): HistoryRequest {
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: path, encoding: 'utf8' }).trim();
  const opened = openRepository({ projectDir: join(path, 'p') }, env);
  if ('diagnostic' in opened) throw new Error(opened.diagnostic.message);
  return {
    repository: opened.repository,
    projectDir: join(path, 'p'),
    projectFile: 'tradeform.yaml',
    environment: undefined,
    names: ['core'],
    env,
    head,
    ...over,
  };
}

async function walk(over: Partial<HistoryRequest> = {}, path = repository.path) {
  const history = new History(request(over, path));
  const found: PastProject[] = [];
  for await (const past of history.commits(() => true)) found.push(past);
  return { history, found, words: found.map(words) };
}

/** `0.5 (the amount is 0.5)`, `- none` for a commit beside the line. */
function words({ commit: { subject }, number, state, unread }: PastProject): string {
  const amount = typeof state === 'string' ? state : String(state.tasks[0]?.config.buy_amount);
  const why = unread === undefined ? '' : ` (${unread.code})`;
  return `${number === undefined ? '- ' : ''}${subject}: ${amount}${why}`;
}

describe('the history of a project', () => {
  beforeEach(() => {
    repository.write('other/notes.txt', 'one');
    repository.commit();
    repository.write('p/tradeform.yaml', PROJECT);
  });

  test('goes from the newest commit that touches the project to the oldest', async () => {
    commit('0.1');
    commit('0.2');
    repository.write('other/notes.txt', 'two');
    repository.commit();
    const { words: found, history } = await walk();
    expect(found).toEqual(['0.2: 0.2', '0.1: 0.1']);
    expect([history.ended, history.shallow]).toEqual(['beginning', false]);
  });

  test.each(['\r', '\u2028', '\u2029'])('has commits with %j in the subject', async (sign) => {
    commit('0.1');
    commit('0.2', `one${sign}two`);
    commit('0.3');
    expect((await walk()).words).toEqual(['0.3: 0.3', `one${sign}two: 0.2`, '0.1: 0.1']);
  });

  test('has commits whose date git cannot read', async () => {
    const parent = commit('0.1');
    const tree = repository.git('rev-parse', 'HEAD^{tree}');
    const text = `tree ${tree}\nparent ${parent}\nauthor t <t@t> never\ncommitter t <t@t> never\n\nodd\n`;
    repository.write('p/manifests/b.yaml', label('cold'));
    commit('0.2');
    const forged = text.replace(tree, repository.git('rev-parse', 'HEAD^{tree}'));
    const input = { cwd: repository.path, input: forged, encoding: 'utf8' as const };
    const odd = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], input);
    repository.git('update-ref', 'HEAD', odd.trim());
    const { found } = await walk();
    expect(found.map(({ commit: { subject, date }, number }) => [subject, date, number])).toEqual([
      ['odd', '1970-01-01T00:00:00Z', 3],
      ['0.1', expect.stringMatching(/^20/), 2],
    ]);
  });

  test('has hash, date and subject, whatever the subject contains', async () => {
    const hash = commit('0.1', 'ü <b> %H  two  spaces');
    const [first] = (await walk()).found;
    expect(first?.commit).toMatchObject({ hash, subject: 'ü <b> %H  two  spaces' });
    expect(first?.commit.date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  });

  test('is the line of first parents before what was merged into it', async () => {
    commit('0.1');
    repository.git('checkout', '-qb', 'side');
    commit('0.2', 'aside');
    commit('0.3', 'aside again');
    repository.git('checkout', '-q', 'main');
    repository.write('p/manifests/hot.yaml', label('hot'));
    commitAll(repository.git, 'on main');
    repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    commit('0.4');
    const { found, words: said } = await walk();
    expect(said).toEqual([
      '0.4: 0.4',
      'merge: 0.3',
      'on main: 0.1',
      '0.1: 0.1',
      '- aside again: 0.3',
      '- aside: 0.2',
    ]);
    expect(found.map(({ number }) => number)).toEqual([7, 6, 3, 2, undefined, undefined]);
  });

  test('reports commits that do not compile, each time, and commits without a project', async () => {
    repository.write('p/tradeform.yaml', 'nothing yet');
    commit('0.1', 'broken project');
    repository.write('p/tradeform.yaml', PROJECT);
    const preset =
      'apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: one }\nspec: { for: sniper, config: { buy_once: false } }\n';
    repository.write('p/manifests/presets.yaml', `${preset}---\n${preset}`);
    commit('0.2', 'two of one name');
    commit('0.3', 'still two');
    repository.git('rm', '-q', 'p/manifests/presets.yaml');
    commit('0.4', 'mended');
    repository.git('rm', '-q', 'p/tradeform.yaml');
    repository.git('commit', '-qm', 'no project');
    expect((await walk()).words).toEqual([
      'no project: none',
      'mended: 0.4',
      'still two: 0.3 (duplicate-name)',
      'two of one name: 0.2 (duplicate-name)',
      'broken project: broken (wrong-type)',
    ]);
  });

  test('ends after as many commits as are read', async () => {
    commit('0.1');
    const at = repository.git('rev-parse', 'HEAD');
    const [one, two] = ['0.2', '0.3'].map((amount) => {
      const text = sniper({ amount });
      return `data ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const stream = Array.from({ length: DEPTH - 1 }, (_, index) => {
      const from = index === 0 ? `from ${at}\n` : '';
      const content = index % 2 === 0 ? one : two;
      return `commit refs/heads/main\ncommitter t <t@t> 1767225600 +0000\ndata 1\nx\n${from}M 644 inline p/manifests/a.yaml\n${content}`;
    });
    const fill = (commits: readonly string[]) =>
      execFileSync('git', ['fast-import', '--quiet', '--force'], {
        cwd: repository.path,
        input: commits.join(''),
      });
    fill(stream);
    const whole = await walk();
    expect([whole.found.length, whole.history.ended]).toEqual([DEPTH, 'beginning']);
    fill([
      `${stream[1]?.replace('data 1\nx\n', `data 1\nx\nfrom ${repository.git('rev-parse', 'main')}\n`)}`,
    ]);
    const longer = await walk();
    expect([longer.found.length, longer.history.ended]).toEqual([DEPTH, 'depth']);
    expect(longer.found.at(-1)?.number).toBe(3);
  });

  test('has the newest commit of the line that a base contains, as git counts it', async () => {
    const { git } = repository;
    const side = commit('0.1');
    commit('0.2');
    git('checkout', '-qb', 'side', side);
    commit('0.3');
    git('checkout', '-q', 'main');
    git('merge', '-q', '-s', 'ours', '-m', 'merge', 'side');
    const head = commit('0.4');
    const ancestry = await request().repository.ancestry();
    if ('problem' in ancestry) throw new Error(ancestry.problem);
    for (const base of git('rev-list', 'HEAD').split('\n')) {
      const since = git('rev-list', '--count', '--first-parent', head, `^${base}`);
      expect(ancestry.newestIn(base)).toBe(Number(git('rev-list', '--count', `${head}~${since}`)));
    }
    git('checkout', '-q', '--orphan', 'apart');
    expect(ancestry.newestIn(commit('0.5'))).toBe(undefined);
  });

  test('of a shallow clone is reported as short', async () => {
    for (const amount of ['0.1', '0.2', '0.3']) commit(amount);
    const clone = temporaryFolder('clone');
    execFileSync('git', ['clone', '-q', '--depth', '2', `file://${repository.path}`, clone], { env });
    const { words: found, history } = await walk({}, clone);
    expect(found).toEqual(['0.3: 0.3', '0.2: 0.2']);
    expect([history.ended, history.shallow]).toEqual(['shallow', true]);
  });

  test('gives each commit as if it were read alone', async () => {
    commit('0.1');
    repository.write('p/manifests/deep/b ü.yaml', sniper({ name: 'beta' }));
    commit('0.2');
    repository.git('rm', '-q', 'p/manifests/a.yaml');
    repository.write('p/manifests/deep/c.yaml', sniper({ name: 'gamma' }));
    repository.commit();
    renameSync(join(repository.path, 'p/manifests/deep'), join(repository.path, 'p/manifests/moved'));
    commit('0.3', 'moved');
    symlinkSync('../manifests/moved/c.yaml', join(repository.path, 'p/link.yaml'));
    repository.git('rm', '-q', '-r', 'p/manifests/moved');
    commitAll(repository.git, 'link');
    const opened = openRepository({ projectDir: join(repository.path, 'p') }, env);
    if (!('repository' in opened)) throw new Error('no repository');
    const { found } = await walk();
    expect(found).toHaveLength(5);
    for (const { commit: past, state } of found) {
      const at = opened.repository.revision(past.hash);
      if (!('revision' in at)) throw new Error('no revision');
      const alone = await readProjectAt(at.revision, request());
      expect(typeof state === 'object' && manifestsDigest(state), past.subject).toBe(
        alone.state !== undefined && manifestsDigest(alone.state),
      );
    }
  });
});
