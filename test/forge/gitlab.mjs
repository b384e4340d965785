// The jobs of `tradeform init --ci gitlab` under gitlab-ci-local, against the sandbox and the fake GitLab of the tests.
//   node gitlab.mjs FOLDER GITLAB_CI_LOCAL  (Node 22.18 or later, which reads TypeScript)
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { startHost } from '../ci/host.ts';
import { openClone, projectOf, SECRETS, startSandbox, taskOf } from './desk.mjs';

const [folder, gitlabCi] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const sandbox = await startSandbox(folder);
const host = await startHost('gitlab');
try {
  await play();
} finally {
  await sandbox.stop();
  await host.close();
}

async function play() {
  const desk = openClone(join(folder, 'gitlab'));
  const { git } = desk;
  setUp(desk);
  const variables = join(folder, 'variables.yml');
  const scoped = (values) => ({ type: 'variable', values });
  const { TRADEFORM_GITLAB_TOKEN, ...known } = host.env;
  writeFileSync(
    variables,
    JSON.stringify({
      TRADEFORM_BASE_URL: sandbox.baseUrl,
      TRADEFORM_TOKEN: scoped({
        'tradeform-read': SECRETS.read,
        'tradeform-stop': SECRETS.write,
        production: SECRETS.write,
      }),
      TRADEFORM_GITLAB_TOKEN: scoped({ 'tradeform-note': TRADEFORM_GITLAB_TOKEN }),
    }),
  );
  host.head = () => git('rev-parse', 'refs/remotes/origin/main');
  host.pullHead = () => git('rev-parse', 'raise');
  /** A pipeline: its exit code and what its jobs printed. */
  const pipeline = async (given, ...jobs) => {
    const own = {
      ...known,
      GITLAB_CI: 'true',
      CI_REPOSITORY_URL: `file://${desk.folder}`,
      CI_DEFAULT_BRANCH: 'main',
      NO_COLOR: '1',
      COLUMNS: '999',
      ...given,
    };
    const words = Object.entries(own).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
    const ignored = ['--ignore-predefined-vars', Object.keys(own).join(',')];
    const args = ['--force-shell-executor', '--variables-file', variables, ...ignored, ...words, ...jobs];
    const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`, HOME: folder };
    const child = spawn(gitlabCi, args, { cwd: desk.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        log += text;
      });
    const [code] = await once(child, 'close');
    for (const secret of Object.values(SECRETS)) assert(!log.includes(secret.split('.').at(-1)), 'a secret');
    return { code, log: stripVTControlCharacters(log) };
  };
  const onMain = async (more = {}) => {
    const ended = await pipeline({ CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: 'main', ...more });
    // As GitLab keeps it for a job with an environment that went well.
    if (/^apply +finished/m.test(ended.log) && ended.code === 0)
      host.statuses.push({
        sha: git('rev-parse', 'HEAD'),
        login: 'x',
        context: 'production',
        state: 'success',
      });
    return ended;
  };
  const good = ({ code, log }) => {
    assert.equal(code, 0, log.slice(-4000));
    return log;
  };
  const moved = () => git('update-ref', 'refs/remotes/origin/main', 'main');

  const digest = JSON.parse(desk.tradeform('plan', '--environment', 'production', '-o', 'json')).digest;
  const first = good(await onMain({ CI_PIPELINE_SOURCE: 'web', EXPECT: digest, TRADEFORM_ONLY: '' }));
  assert.doesNotMatch(first, /uncommitted changes/);
  assert.match(first, /from [0-9a-f]{7}/);
  assert.equal(await sandbox.live('dawn'), '0.1 on');
  console.log(
    '✓ GitLab: the first apply, by hand, from a clean commit although the jobs before it left their files',
  );

  git('checkout', '-q', '-b', 'raise');
  desk.write('manifests/dawn.yaml', taskOf('dawn', '0.3'));
  git('add', 'manifests');
  git('commit', '-qm', 'Raise');
  const request = {
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_MERGE_REQUEST_IID: '7',
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: known.CI_PROJECT_ID,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: git('rev-parse', 'main'),
    CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    CI_COMMIT_BRANCH: '',
  };
  good(await pipeline(request));
  assert.equal(host.comments.length, 1);
  const [note] = host.comments;
  assert.match(note.body, /`sniper\/dawn`/);
  desk.write('manifests/dawn.yaml', taskOf('dawn', '0.4'));
  git('commit', '-qam', 'Raise more');
  const before = note.body;
  good(await pipeline(request));
  assert.equal(host.comments.length, 1);
  assert.notEqual(note.body, before);
  const [planned] = note.body.split('\n');
  desk.write('manifests/dawn.yaml', taskOf('dawn', 'much'));
  git('commit', '-qam', 'Raise too much');
  assert.notEqual((await pipeline(request)).code, 0);
  assert.match(note.body, /digest=- -->\n.*manifests\/dawn\.yaml/s);
  git('reset', '-q', '--hard', 'HEAD^');
  good(await pipeline(request));
  assert(note.body.startsWith(`${planned}\n`));
  assert.equal(host.comments.length, 1);
  console.log(
    '✓ GitLab: a merge request is planned, one note is kept up to date, and shows no plan of invalid manifests',
  );

  const old = git('rev-parse', 'main');
  git('checkout', '-q', 'main');
  git('merge', '-q', '--no-ff', '-m', 'Merge', 'raise');
  moved();
  const sha = git('rev-parse', 'main');
  host.pulls.push({ number: 8, merged_at: '2026-11-21T09:00:00Z', merge_commit_sha: sha });
  note.pull = 8;
  const merged = good(await onMain({ CI_COMMIT_BEFORE_SHA: old }));
  assert.match(merged, /The merge request 8 was reviewed with plan [0-9a-f]{64}/);
  assert.doesNotMatch(merged, /uncommitted changes/);
  assert.equal(await sandbox.live('dawn'), '0.4 on');
  assert.equal(host.comments.filter(({ body }) => body.startsWith('<!-- tradeform:apply ')).length, 1);
  const writes = await sandbox.writes();
  assert.match(good(await onMain({ CI_COMMIT_BEFORE_SHA: old })), /was applied whole before/);
  console.log('✓ GitLab: merged, it is applied once, from a clean commit, and a note says so');

  git('checkout', '-q', old);
  const late = await onMain();
  assert.match(late.log, new RegExp(`${old.slice(0, 12)} is superseded by ${sha.slice(0, 12)}`));
  assert.equal(await sandbox.writes(), writes);
  git('checkout', '-q', 'main');
  console.log('✓ GitLab: the pipeline of an older commit, run again, does nothing');

  const edit = async (amount) =>
    sandbox.control('POST', 'edit', { id: await sandbox.idOf('dawn'), merge: { buy_amount: amount } });
  const schedule = { CI_PIPELINE_SOURCE: 'schedule', CI_COMMIT_BRANCH: 'main' };
  const looked = async () => [
    (await pipeline(schedule)).code === 0,
    ...host.issues.map(({ state }) => state),
  ];
  await edit('0.9');
  assert.deepEqual(await looked(), [false, 'open']);
  await edit('0.4');
  assert.deepEqual(await looked(), [true, 'closed']);
  console.log('✓ GitLab: the schedule fails on drift, keeps an issue about it, and closes it');

  const press = (job, more) =>
    pipeline({ CI_PIPELINE_SOURCE: 'web', CI_COMMIT_BRANCH: 'main', TASKS: 'sniper/dawn', ...more }, job);
  good(await press('pause'));
  assert.equal(await sandbox.live('dawn'), '0.4 off');
  const shown = good(await press('resume'));
  assert.equal(await sandbox.live('dawn'), '0.4 off');
  const [, EXPECT] = /Digest ([0-9a-f]{64})/.exec(shown);
  good(await press('resume', { EXPECT }));
  assert.equal(await sandbox.live('dawn'), '0.4 on');
  console.log('✓ GitLab: the button pauses; the way back shows first, and starts what it showed');
}

function setUp(desk) {
  const { git, folder: home } = desk;
  git('init', '-q');
  mkdirSync(join(home, 'node_modules/.bin'), { recursive: true });
  symlinkSync(ROOT, join(home, 'node_modules/tradeform'));
  symlinkSync('../tradeform/dist/tradeform.cjs', join(home, 'node_modules/.bin/tradeform'));
  desk.write('.gitignore', 'node_modules/\n');
  desk.write('tradeform.yaml', projectOf(sandbox.baseUrl));
  desk.write('manifests/dawn.yaml', taskOf('dawn', '0.1'));
  desk.tradeform('init', '--ci', 'gitlab');
  // What `npm ci` would install is there.
  const path = join(home, 'ci/tradeform.gitlab-ci.yml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/npm ci .*/, 'test -x node_modules/.bin/tradeform'));
  desk.commit('The desk');
  git('remote', 'add', 'origin', 'git@gitlab.invalid:desk/tasks.git');
  git('update-ref', 'refs/remotes/origin/main', 'main');
  git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
}
