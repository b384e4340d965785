// npm run test:forge: the story of a change on a real Gitea, with the workflows of `tradeform init` and the packed program.
//   --only gitea or gitlab  plays a part
//   --keep                  leaves the temporary folder, and says where it is
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openClone, projectOf, SECRETS, startSandbox, taskOf } from './desk.mjs';
import { startGitea, until } from './gitea.mjs';
import { buildTools, installGitLabCi, missingTools } from './tools.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TASKS = 'desk/tasks';
const APPLY = 'desk/apply';
const [FLEET, FLEET_APPLY] = ['desk/fleet', 'desk/fleet-apply'];
/** Schedules wait until the end, where one of them starts a run. */
const NEVER = '0 0 1 1 *';

const [, only] = /--only (\w+)/.exec(process.argv.join(' ')) ?? [];
const missing = missingTools(only);
if (missing.length > 0) {
  for (const [name, how] of missing) console.error(`test:forge needs ${name}: ${how}`);
  console.error(`NOT TESTED: the workflows${only === undefined ? '' : ` of ${only}`}.`);
  process.exit(77);
}
const minutes = (since) => `${((Date.now() - since) / 60_000).toFixed(1)} minutes`;
const folder = mkdtempSync(join(tmpdir(), 'tradeform-forge-'));
process.once(
  'exit',
  () => process.argv.includes('--keep') || rmSync(folder, { recursive: true, force: true }),
);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
let secrets = Object.values(SECRETS);
let [gitea, sandbox] = [];
try {
  if (only !== 'gitlab') await onGitea();
  if (only !== 'gitea') await onGitLab();
  console.log('All of it holds.');
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
if (process.argv.includes('--keep')) console.log(folder);

async function onGitea() {
  const began = Date.now();
  const tools = buildTools();
  console.log(`Gitea and its runner are there after ${minutes(began)}.`);
  const started = Date.now();
  try {
    sandbox = await startSandbox(folder);
    gitea = await startGitea(tools, folder);
    await play();
  } finally {
    await gitea?.stop();
    await sandbox?.stop();
  }
  console.log(`Gitea: ${minutes(started)}.`);
}

async function onGitLab() {
  const { node, gitlabCi } = installGitLabCi();
  const started = Date.now();
  const child = spawn(node, [fileURLToPath(new URL('gitlab.mjs', import.meta.url)), folder, gitlabCi], {
    stdio: 'inherit',
  });
  process.once('exit', () => child.kill());
  const [code] = await once(child, 'exit');
  assert.equal(code, 0, 'the jobs of GitLab');
  console.log(`GitLab: ${minutes(started)}.`);
}

/** Fails with the end of a log in which something is missing. */
function says(log, pattern) {
  assert(pattern.test(log), `no ${pattern} in …${log.slice(-3000)}`);
}

function passed(text) {
  console.log(`✓ ${text}`);
}

async function play() {
  const { api, ask } = gitea;
  const tasks = openClone(join(folder, 'tasks'));
  const apply = openClone(join(folder, 'apply'));
  await setUp(tasks, apply);

  /** The jobs of runs as `NAME CONCLUSION`, and no secret in any log. */
  const ended = (...runs) =>
    runs.flatMap(({ jobs }) =>
      jobs.map(({ name, conclusion, log }) => {
        for (const secret of secrets)
          assert(!log.includes(secret.split('.').at(-1)), `${name} shows a secret`);
        return `${name} ${conclusion}`;
      }),
    );
  const endOf = ({ jobs }) => jobs.map(({ log }) => log.slice(-3000)).join('\n');
  const logOf = (run, job) => run.jobs.find(({ name }) => name === job)?.log.replace(/\s+/g, ' ') ?? '';
  /** One run of a workflow by hand, whose jobs ended so. */
  const dispatched = async (repo, workflow, inputs, expected) => {
    const start = { ref: 'main', inputs };
    const path = `/repos/${repo}/actions/workflows/tradeform-${workflow}.yml/dispatches`;
    // Right after a push, Gitea does not know the workflow yet.
    const [run] = await gitea.runsAfter(repo, () =>
      until(
        `the start of ${workflow}`,
        60,
        async () => (await ask('mira', 'POST', path, start)).status < 300,
      ),
    );
    const jobs = ended(run).filter((one) => !one.endsWith(' skipped'));
    assert.deepEqual(jobs, [expected].flat(), endOf(run));
    return { ...run, log: logOf(run, expected.split(' ')[0]) };
  };
  /** What the schedule does. */
  const poll = (conclusion = 'success', inputs = { expect: 'reviewed' }) =>
    dispatched(APPLY, 'apply', inputs, `apply ${conclusion}`);
  const comments = async (pull) => api('root1', 'GET', `/repos/${TASKS}/issues/${pull}/comments`);
  const commentOf = async (pull, command, by = 'bot') =>
    (await comments(pull)).filter(
      ({ user, body }) => user.login === by && body.startsWith(`<!-- tradeform:${command} `),
    );
  const labelsOf = async (pull) =>
    (await api('root1', 'GET', `/repos/${TASKS}/issues/${pull}/labels`)).map(({ name }) => name).sort();
  const digestOf = ({ body }) => /digest=([0-9a-f-]+)/.exec(body)?.[1];
  const change = (branch, amount, { from = 'main', name = 'dawn', remark } = {}) => {
    tasks.git('checkout', '-q', '-B', branch, from);
    tasks.write(`manifests/${name}.yaml`, taskOf(name, amount, remark));
    return tasks.commit(`${name} with ${amount}`);
  };
  const push = (branch, as = 'theo') => tasks.git('push', '-q', '-f', gitea.remote(as, TASKS), branch);
  const open = async (branch, as = 'theo') =>
    (await api(as, 'POST', `/repos/${TASKS}/pulls`, { title: branch, head: branch, base: 'main' })).number;
  /** A pull request of a branch, planned. */
  const proposed = async (branch, amount, more) => {
    change(branch, amount, more);
    let pull;
    const runs = await gitea.runsAfter(TASKS, async () => {
      push(branch);
      pull = await open(branch);
    });
    assert.deepEqual(ended(...runs), ['validate success', 'plan success'], endOf(runs[0]));
    return pull;
  };
  const merge = async (pull, how = 'merge') => {
    await until(`pull request ${pull} can be merged`, 60, async () => {
      const { status } = await ask('mira', 'POST', `/repos/${TASKS}/pulls/${pull}/merge`, { Do: how });
      return status < 300;
    });
    tasks.git('fetch', '-q', gitea.remote('mira', TASKS), '+main:refs/remotes/origin/main');
    tasks.git('checkout', '-q', '-B', 'main', 'refs/remotes/origin/main');
    return tasks.git('rev-parse', 'main');
  };
  /** A poll applies just what was reviewed of these pull requests, says so there, and records it. */
  const applied = async (pulls, sha) => {
    const reviewed = await Promise.all(
      pulls.map(async (pull) => digestOf((await commentOf(pull, 'plan'))[0])),
    );
    const { log } = await poll();
    for (const [index, pull] of pulls.entries()) {
      assert(log.includes(`The pull request ${pull} was reviewed with plan ${reviewed[index]}`), log);
      const told = await commentOf(pull, 'apply');
      assert.equal(told.length, 1);
      assert.match(told[0].body, new RegExp(`\\[this run\\]\\(${gitea.url}/${APPLY}/actions/runs/\\d+\\)`));
    }
    const statuses = await api('root1', 'GET', `/repos/${TASKS}/commits/${sha}/statuses`);
    const own = statuses.filter(({ context }) => context === 'tradeform/apply/core/production');
    assert.deepEqual(
      own.map(({ creator, status }) => [creator.login, status]),
      [['bot', 'success']],
    );
  };

  const refused = await poll('failure');
  says(refused.log, /nothing was applied before, so nobody can tell what is left/);
  assert.equal(await sandbox.writes(), 0);
  passed('what was pushed without a pull request is refused');

  const digest = JSON.parse(tasks.tradeform('plan', '--environment', 'production', '-o', 'json')).digest;
  await poll('success', { expect: digest, only: 'all' });
  assert.deepEqual([await sandbox.live('dawn'), await sandbox.live('dusk')], ['0.1 on', '0.2 on']);
  passed('the first apply, by hand, with its digest');

  const one = await proposed('raise', '0.3');
  const [plan] = await commentOf(one, 'plan');
  assert.match(plan.body, /`sniper\/dawn`/);
  assert.doesNotMatch(plan.body, /sniper\/dusk|artifacts/);
  const link = /\]\((http[^)]+\/src\/commit\/[0-9a-f]{40}\/manifests\/dawn\.yaml)#L\d+\)/.exec(
    plan.body,
  )?.[1];
  assert.equal((await fetch(link)).status, 200);
  passed(
    'a pull request is validated and planned, and one comment, whose links lead to the lines, says what it does',
  );

  const pushed = await gitea.runsAfter(
    TASKS,
    async () => {
      change('raise', '0.35', { from: 'raise' });
      push('raise');
      await until(
        'the first of two runs',
        120,
        async () => (await gitea.runsOf(TASKS))[0].status === 'in_progress',
      );
      change('raise', '0.4', { from: 'raise' });
      push('raise');
    },
    2,
  );
  assert.deepEqual(
    pushed.map(({ conclusion }) => conclusion),
    ['cancelled', 'success'],
  );
  const again = await commentOf(one, 'plan');
  assert.deepEqual(
    again.map(({ id }) => id),
    [plan.id],
  );
  assert.notEqual(digestOf(again[0]), digestOf(plan));
  passed('after two more pushes it is the same comment, with the last plan; the older run was cancelled');

  await applied([one], await merge(one));
  assert.equal(await sandbox.live('dawn'), '0.4 on');
  const before = await sandbox.writes();
  const idle = await poll();
  says(idle.log, /was applied whole before, which used up its review; nothing was done/);
  const old = await gitea.rerun(APPLY, refused);
  assert.deepEqual(ended(old), ['apply success']);
  assert.equal(await sandbox.writes(), before);
  passed(
    'merged, it is applied once, just as it was reviewed; later runs and an old job that runs again do nothing',
  );

  for (const [how, amount] of [
    ['squash', '0.41'],
    ['rebase', '0.42'],
  ]) {
    const pull = await proposed(how, amount);
    await applied([pull], await merge(pull, how));
    assert.equal(await sandbox.live('dawn'), `${amount} on`);
  }
  const three = [
    await proposed('two', '0.43'),
    await proposed('three', '0.25', { name: 'dusk' }),
    await proposed('more', '0.1', { name: 'morn' }),
  ];
  const ways = ['merge', 'squash', 'rebase'];
  let done;
  await gitea.withoutRunner(async () => {
    let last;
    for (const [index, pull] of three.entries()) last = await merge(pull, ways[index]);
    done = applied(three, last);
  });
  await done;
  for (const [name, is] of Object.entries({ dawn: '0.43 on', dusk: '0.25 on', morn: '0.1 on' }))
    assert.equal(await sandbox.live(name), is);
  passed(
    'so are a squash, a rebase, and three that were merged one right after another while no runner was up, each with its own review',
  );

  const four = await proposed('four', '0.44');
  await merge(four);
  await sandbox.control('POST', 'faults', {
    method: 'PATCH',
    times: 0,
    fault: { type: 'status', status: 400 },
  });
  await poll('failure');
  says((await commentOf(four, 'apply'))[0].body, /What to do next/);
  await sandbox.control('DELETE', 'faults');
  assert.notEqual(await sandbox.live('dawn'), '0.44 on');
  await poll();
  assert.equal(await sandbox.live('dawn'), '0.44 on');
  assert.doesNotMatch((await commentOf(four, 'apply'))[0].body, /What to do next/);
  passed('a failed apply says how to go on, and the next run makes it up');

  const behind = 'behind';
  change(behind, '0.26', { name: 'dusk' });
  const five = await proposed('five', '0.45');
  await applied([five], await merge(five));
  push(behind);
  let six;
  const [stale] = await gitea.runsAfter(TASKS, async () => {
    six = await open(behind);
  });
  assert.deepEqual(ended(stale), ['validate success', 'plan failure']);
  says(
    (await commentOf(six, 'plan'))[0].body,
    /digest=- -->\n## Plan\n\n\*\*None\*\*: this branch lacks commits of main/,
  );
  assert.deepEqual(await labelsOf(six), ['tradeform: refused']);
  const [fresh] = await gitea.runsAfter(TASKS, () =>
    api('theo', 'POST', `/repos/${TASKS}/pulls/${six}/update?style=rebase`),
  );
  assert.deepEqual(ended(fresh), ['validate success', 'plan success']);
  assert.doesNotMatch((await commentOf(six, 'plan'))[0].body, /sniper\/dawn/);
  assert.deepEqual(await labelsOf(six), ['tradeform: changes']);
  await applied([six], await merge(six));
  passed('a branch that lacks commits of main gets no plan until it is brought up to date');

  await labels();
  await rules();
  await unreviewed();
  await atOnce();
  await strangers();
  await drift();
  await button();
  await schedule();
  await fleet();

  async function labels() {
    const pull = await proposed('labels', '0.451');
    const own = await api('mira', 'POST', `/repos/${TASKS}/labels`, { name: 'urgent', color: '#0000ff' });
    await api('mira', 'POST', `/repos/${TASKS}/issues/${pull}/labels`, { labels: [own.id] });
    assert.deepEqual(await labelsOf(pull), ['tradeform: changes', 'urgent']);
    const replanned = async (fill) => {
      const [run] = await gitea.runsAfter(TASKS, () => {
        tasks.git('checkout', '-q', '-B', 'labels', 'main');
        fill();
        tasks.commit('Anew');
        push('labels');
      });
      assert.deepEqual(ended(run), ['validate success', 'plan success'], endOf(run));
      return logOf(run, 'plan');
    };
    const mayBot = (permission) => api('root1', 'PUT', `/repos/${TASKS}/collaborators/bot`, { permission });
    await replanned(() => {
      tasks.write('manifests/noon.yaml', taskOf('noon', '0.1'));
      tasks.git('rm', '-q', 'manifests/dusk.yaml');
    });
    const three = ['tradeform: changes', 'tradeform: deletes', 'tradeform: starts', 'urgent'];
    assert.deepEqual(await labelsOf(pull), three);
    await mayBot('read');
    const log = await replanned(() => tasks.write('README.md', 'The desk\n'));
    await mayBot('write');
    assert.equal(
      log.match(/the labels of the pull request could not be set: Gitea answered \S+ \S+ with 403/g)?.length,
      1,
      log,
    );
    assert.deepEqual(await labelsOf(pull), three);
    assert.doesNotMatch((await commentOf(pull, 'plan'))[0].body, /sniper\//);
    await replanned(() => tasks.write('README.md', 'The tasks of the desk\n'));
    assert.deepEqual(await labelsOf(pull), ['tradeform: nothing', 'urgent']);
    passed(
      'labels follow the plan and leave others alone; without the right to set them, the comment is written',
    );

    const text = readFileSync(join(tasks.folder, '.gitea/workflows/tradeform-pull-request.yml'), 'utf8');
    const copy = text
      .slice(text.indexOf('  plan:'))
      .replace('  plan:', '  staging:')
      .replace('_ENVIRONMENT: production', '_ENVIRONMENT: staging');
    const both = async (...conclusions) => {
      const [run] = await gitea.runsAfter(TASKS, () => push('labels'));
      assert.deepEqual(ended(run), ['validate success', ...conclusions], endOf(run));
    };
    tasks.write(
      '.gitea/workflows/tradeform-pull-request.yml',
      `${text}\n${copy.replace('TRADEFORM_READ_TOKEN', 'STAGING_TOKEN')}`,
    );
    tasks.commit('Another environment');
    await both('plan success', 'staging success');
    assert.deepEqual(await labelsOf(pull), ['tradeform: nothing', 'urgent']);
    tasks.write('manifests/dawn.yaml', taskOf('dawn', '0.452'));
    tasks.write('.gitea/workflows/tradeform-pull-request.yml', `${text}\n${copy}`);
    tasks.commit('A change, and there the token of the first one');
    await both('plan success', 'staging failure');
    assert.deepEqual(await labelsOf(pull), ['tradeform: changes', 'tradeform: refused', 'urgent']);
    assert.equal((await commentOf(pull, 'plan')).length, 2);
    passed('two environments have a comment each, and the pull request the labels of both');

    const invalid = await proposed('invalid', '0.451');
    const [run] = await gitea.runsAfter(TASKS, () => {
      change('invalid', 'much', { from: 'invalid' });
      push('invalid');
    });
    assert.deepEqual(ended(run), ['validate failure', 'plan failure'], endOf(run));
    const [shown, ...more] = await commentOf(invalid, 'plan');
    says(shown.body, /digest=- -->.*manifests\/dawn\.yaml/s);
    assert.doesNotMatch(shown.body, /Merging applies|0\.451/);
    assert.deepEqual([more, await labelsOf(invalid)], [[], ['tradeform: refused']]);
    for (const one of [pull, invalid])
      await api('theo', 'PATCH', `/repos/${TASKS}/pulls/${one}`, { state: 'closed' });
    tasks.git('checkout', '-q', 'main');
    passed(
      'a push whose manifests are invalid takes the plan before it from the comment and from the labels',
    );
  }

  /** Step 6 of docs/how-to/gitea.md. */
  async function rules() {
    const at = `/repos/${TASKS}/branch_protections`;
    await api('root1', 'POST', at, {
      ...{ rule_name: 'main', enable_push: false, required_approvals: 1, dismiss_stale_approvals: true },
      ...{ block_on_outdated_branch: true, enable_status_check: true },
      status_check_contexts: ['*/ validate*', '*/ plan*'],
    });
    tasks.git('checkout', '-q', 'main');
    tasks.git('commit', '-q', '--allow-empty', '-m', 'Straight to main');
    assert.throws(() => push('main', 'mira'), /protected branch/);
    tasks.git('reset', '-q', '--hard', 'HEAD^');
    const pull = await proposed('ruled', '0.455');
    const stale = await proposed('ruled-late', '0.27', { name: 'dusk' });
    const refuses = async (number, says) => {
      const to = `/repos/${TASKS}/pulls/${number}/merge`;
      const { status, body } = await ask('mira', 'POST', to, { Do: 'merge' });
      assert(status >= 400 && says.test(JSON.stringify(body)), `${status} ${JSON.stringify(body)}`);
    };
    const approve = (number) =>
      api('mira', 'POST', `/repos/${TASKS}/pulls/${number}/reviews`, { event: 'APPROVED' });
    await refuses(pull, /approvals/);
    await approve(pull);
    await gitea.runsAfter(TASKS, () => {
      change('ruled', '0.456', { from: 'ruled' });
      push('ruled');
    });
    await refuses(pull, /approvals/);
    await approve(pull);
    await applied([pull], await merge(pull));
    await approve(stale);
    await refuses(stale, /behind|outdated/);
    await api('theo', 'PATCH', `/repos/${TASKS}/pulls/${stale}`, { state: 'closed' });
    await api('root1', 'DELETE', `${at}/main`);
    passed('the rules of the page hold up what is not approved, what changed since, and what is out of date');
  }

  async function unreviewed() {
    const merged = await proposed('reviewed', '0.457');
    const [planned] = (await gitea.runsOf(TASKS)).slice(0, 1);
    const seen = (await commentOf(merged, 'plan'))[0].body;
    await applied([merged], await merge(merged));
    const again = await gitea.rerun(TASKS, planned);
    says(logOf(again, 'plan'), /is merged or closed; its comment stays as it is/);
    assert.equal((await commentOf(merged, 'plan'))[0].body, seen);
    passed('the plan job of a merged pull request, run again, leaves what reviewers saw');

    tasks.git('checkout', '-q', 'main');
    tasks.write('manifests/dusk.yaml', taskOf('dusk', '2.5'));
    const direct = tasks.commit('Straight to main');
    push('main', 'mira');
    says((await poll('failure')).log, /no pull request was merged as/);
    let harmless;
    const [run] = await gitea.runsAfter(TASKS, async () => {
      change('harmless', '0.458');
      push('harmless');
      harmless = await open('harmless');
    });
    assert.deepEqual(ended(run), ['validate success', 'plan failure'], endOf(run));
    const [{ body }] = await commentOf(harmless, 'plan');
    says(body, /digest=- -->.*\n## .* · ⚠ NOT REVIEWED \(1\)\n\n\*\*Nobody reviewed this/s);
    assert(body.includes(direct.slice(0, 12)) && body.includes('Desk'), body);
    says(body, /sniper\/dusk`: amount [\d.]+ → 2\.5 SOL/);
    await merge(harmless);
    const before = await sandbox.writes();
    says((await poll('failure')).log, /the comment shows no plan that counts/);
    assert.equal(await sandbox.writes(), before);
    tasks.write('manifests/dusk.yaml', taskOf('dusk', '0.26'));
    tasks.commit('Back');
    push('main', 'mira');
    await poll('success', { expect: 'none' });
    assert.deepEqual([await sandbox.live('dawn'), await sandbox.live('dusk')], ['0.458 on', '0.26 on']);
    passed('what no pull request brought is named first, and is not applied with the next merge');
  }

  async function atOnce() {
    const path = '.gitea/workflows/tradeform-apply.yml';
    const text = readFileSync(join(apply.folder, path), 'utf8');
    // Between the review and the apply it waits for a file.
    const wait = (file) =>
      text.replace(
        /^( +- run: )exec node_modules\/\.bin\/tradeform apply/m,
        `$1touch "${file}.waits"; until test -e "${file}"; do sleep 1; done\n$&`,
      );
    const gate = join(folder, 'gate');
    apply.write('.gitea/workflows/tradeform-late.yml', wait(gate));
    apply.commit('One that waits');
    apply.git('push', '-q', gitea.remote('mira', APPLY), 'main');
    const pull = await proposed('at-once', '0.459');
    const sha = await merge(pull);
    const late = dispatched(APPLY, 'late', { expect: 'reviewed' }, 'apply success');
    await until('the apply that waits', 300, async () => existsSync(`${gate}.waits`));
    await applied([pull], sha);
    const [first] = await commentOf(pull, 'apply');
    writeFileSync(gate, '');
    await late;
    const [{ body }, ...others] = await commentOf(pull, 'apply');
    assert.deepEqual(others, []);
    assert(body.startsWith(first.body), body);
    says(body.slice(first.body.length), /ended later\. It did nothing\.\n$/);
    assert.equal(await sandbox.live('dawn'), '0.459 on');
    passed(
      'of two applies at once, the one with nothing left to do is told below the result of the other one',
    );
  }

  /** The steps of docs/how-to/many-accounts.md#in-ci. */
  async function fleet() {
    const [repo, jobs] = [openClone(join(folder, 'fleet')), openClone(join(folder, 'fleet-apply'))];
    const east = (amount) => repo.write('accounts/desk-1/manifests/east.yaml', taskOf('east', amount));
    east('0.1');
    await setUpFleet(repo, jobs, tasks.folder);
    const applies = (expect, only = 'pending') =>
      dispatched(FLEET_APPLY, 'fleet-apply', { expect, only }, 'apply success');
    await applies('none', 'all');
    const live = async () => [await sandbox.live('east'), await sandbox.live('west')];
    assert.deepEqual(await live(), ['0.1 on', '0.1 on']);
    repo.git('checkout', '-q', '-b', 'raise');
    east('0.2');
    repo.commit('Raise');
    const theirs = { title: 'raise', head: 'raise', base: 'main' };
    const to = `/repos/${FLEET}/pulls`;
    let pull;
    const [run] = await gitea.runsAfter(FLEET, async () => {
      repo.git('push', '-q', gitea.remote('theo', FLEET), 'raise');
      pull = (await api('theo', 'POST', to, theirs)).number;
    });
    assert.deepEqual(ended(run), ['validate success', 'plan success'], endOf(run));
    const told = async () =>
      (await api('root1', 'GET', `/repos/${FLEET}/issues/${pull}/comments`)).map(({ body }) => body);
    says((await told()).join(), /^<!-- tradeform:fleetplan project=desk .*`desk-1`.*`desk-2`/s);
    await until('the merge', 60, async () => {
      return (await ask('mira', 'POST', `${to}/${pull}/merge`, { Do: 'merge' })).status < 300;
    });
    await applies('reviewed');
    assert.deepEqual(await live(), ['0.2 on', '0.1 on']);
    says((await told())[1], /^<!-- tradeform:fleetapply project=desk /);
    passed('of a fleet, one comment shows all accounts, and what it shows is applied');
    await dispatched(FLEET, 'fleet-drift', {}, 'drift success');
    const stop = (accounts) => dispatched(FLEET_APPLY, 'fleet-stop', { accounts }, 'pause success');
    await stop('desk-2');
    assert.deepEqual(await live(), ['0.2 on', '0.1 off']);
    await stop('all');
    assert.deepEqual(await live(), ['0.2 off', '0.1 off']);
    passed('the stop button of a fleet pauses one account, and all of them');
  }

  async function schedule() {
    const ten = await proposed('ten', '0.5');
    await merge(ten);
    const path = '.gitea/workflows/tradeform-apply.yml';
    const text = readFileSync(join(apply.folder, path), 'utf8');
    const set = (cron) => {
      apply.write(path, text.replace(NEVER, cron));
      apply.commit(`At ${cron}`);
      apply.git('push', '-q', gitea.remote('mira', APPLY), 'main');
    };
    const [run] = await gitea.runsAfter(APPLY, () => set('* * * * *'));
    set(NEVER);
    assert.deepEqual(ended(run), ['apply success'], endOf(run));
    assert.equal(await sandbox.live('dawn'), '0.5 on');
    passed('the schedule of the second repository applies what was merged');
  }

  async function strangers() {
    const seven = await proposed('seven', '0.46', {
      remark: '@mallory #1 <b>x</b> [x](//y.z)',
    });
    const [{ body, html_url: page }] = await commentOf(seven, 'plan');
    assert.match(body, /@mallory/);
    const mentions = await api('mallory', 'GET', '/notifications?all=true');
    const shown = await (await fetch(page)).text();
    assert(!/class="mention"[^>]*>@mallory/.test(shown), 'a remark mentions somebody');
    assert.deepEqual(
      mentions.filter(({ subject }) => subject.url.endsWith(`/${seven}`)),
      [],
    );
    // Jobs of every repository act as one user.
    const forged = body.replace(/digest=\w+/, `digest=${'0'.repeat(64)}`);
    const theirs = openClone(join(folder, 'stranger'));
    theirs.git('init', '-q');
    theirs.write('forged.json', JSON.stringify({ body: forged }));
    theirs.write(
      '.gitea/workflows/forge.yml',
      `on: push
jobs:
  forge:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: |
          curl -sf -H "authorization: token \${{ github.token }}" -H 'content-type: application/json' -d @forged.json "$GITHUB_API_URL/repos/${TASKS}/issues/${seven}/comments"
`,
    );
    theirs.commit('Forge');
    await api('mallory', 'POST', '/user/repos', { name: 'own', private: false });
    const runs = await gitea.runsAfter('mallory/own', () =>
      theirs.git('push', '-q', gitea.remote('mallory', 'mallory/own'), 'main'),
    );
    assert.deepEqual(ended(...runs), ['forge success'], endOf(runs[0]));
    assert.equal((await commentOf(seven, 'plan', 'gitea-actions')).length, 1);
    await applied([seven], await merge(seven));
    assert.equal(await sandbox.live('dawn'), '0.46 on');
    passed(
      'names with mentions and Markdown stay text; the comment that a job of a stranger forged is not believed',
    );

    const fork = openClone(join(folder, 'fork'));
    await api('mallory', 'POST', `/repos/${TASKS}/forks`, {});
    await until(
      'the fork',
      60,
      async () => (await ask('mallory', 'GET', '/repos/mallory/tasks/branches/main')).status === 200,
    );
    fork.git('clone', '-q', gitea.remote('mallory', 'mallory/tasks'), '.');
    fork.git('checkout', '-q', '-b', 'gift');
    fork.write('manifests/dawn.yaml', taskOf('dawn', '9'));
    fork.commit('A gift');
    fork.git('push', '-q', 'origin', 'gift');
    const asked = (await gitea.runsOf(TASKS))[0].id;
    const eight = (
      await api('mallory', 'POST', `/repos/${TASKS}/pulls`, {
        title: 'gift',
        head: 'mallory:gift',
        base: 'main',
      })
    ).number;
    const given = await until('the run of a fork', 60, async () =>
      (await gitea.runsOf(TASKS)).find(({ id }) => id > asked),
    );
    assert.notEqual(given.status, 'completed');
    await gitea.approve(TASKS, given);
    await until('the end of that run', 300, async () => {
      const { status } = (await gitea.runsOf(TASKS)).find(({ id }) => id === given.id);
      return status === 'completed';
    });
    const gift = await gitea.withJobs(TASKS, given);
    assert.deepEqual(ended(gift), ['validate success', 'plan skipped']);
    assert.deepEqual(await comments(eight), []);
    passed('a pull request of a fork waits for a person, and then is only validated');

    tasks.git('checkout', '-q', '-B', 'hostile', 'main');
    const workflow = readFileSync(join(tasks.folder, '.gitea/workflows/tradeform-pull-request.yml'), 'utf8');
    tasks.write('tradeform.yaml', projectOf('https://elsewhere.invalid/v1'));
    const spy = `      - env: { WRITES: "\${{ secrets.TRADEFORM_TOKEN }}", BOT: "\${{ secrets.TRADEFORM_BOT_TOKEN }}" }
        run: |
          test -z "$WRITES" && echo "no token that writes"
          api() { curl -s -o /dev/null -w '%{http_code}\\n' -X POST -H "authorization: token $BOT" -H 'content-type: application/json' -d "$2" "$GITHUB_API_URL/repos/${TASKS}/$1"; }
          api "statuses/$GITHUB_SHA" '{"state":"success","context":"tradeform/apply/core/production"}'
          api 'pulls/\${{ github.event.number }}/reviews' '{"event":"APPROVED"}'
          api 'pulls/\${{ github.event.number }}/merge' '{"Do":"merge"}'
`;
    tasks.write(
      '.gitea/workflows/tradeform-pull-request.yml',
      workflow.replace('\n\n  plan:', `\n${spy}\n  plan:`),
    );
    tasks.commit('Hostile');
    let nine;
    const [hostile] = await gitea.runsAfter(TASKS, async () => {
      push('hostile');
      nine = await open('hostile');
    });
    assert.deepEqual(ended(hostile), ['validate success', 'plan success'], endOf(hostile));
    says(logOf(hostile, 'validate'), /no token that writes 403 403 403/);
    says((await commentOf(nine, 'plan'))[0].body, /`base_url` loosened/);
    await api('theo', 'PATCH', `/repos/${TASKS}/pulls/${nine}`, { state: 'closed' });
    tasks.git('checkout', '-q', 'main');
    passed(
      'a hostile one gets no token that writes, cannot record, approve or merge with the bot, and does not move the service',
    );

    const shared = await gitea.runsAfter(TASKS, async () => {
      tasks.git('checkout', '-q', '-B', 'shared', 'main');
      tasks.write(
        '.gitea/workflows/tradeform-pull-request.yml',
        workflow.replace(/GITHUB_TOKEN: .*/, 'GITHUB_TOKEN: ${{ github.token }}'),
      );
      tasks.commit('Without the bot');
      push('shared');
      await open('shared');
    });
    assert.deepEqual(ended(...shared), ['validate success', 'plan failure']);
    says(
      logOf(shared[0], 'plan'),
      /GITHUB_TOKEN is of gitea-actions, as whom the jobs of all repositories of this Gitea act/,
    );
    passed('the token of a job is refused for what is trusted');
    tasks.git('checkout', '-q', 'main');
  }

  async function drift() {
    const issues = async () =>
      (await api('root1', 'GET', `/repos/${TASKS}/issues?type=issues&state=all`)).map(
        ({ number, state, body }) => ({ number, state, body }),
      );
    const looked = () => dispatched(TASKS, 'drift', {}, 'drift success');
    const edit = async (amount) =>
      sandbox.control('POST', 'edit', { id: await sandbox.idOf('dusk'), merge: { buy_amount: amount } });
    const dusk = (await sandbox.live('dusk')).split(' ')[0];
    await looked();
    assert.deepEqual(await issues(), []);
    const seen = [];
    for (const amount of ['0.9', '0.8', dusk, '0.7', dusk]) {
      await edit(amount);
      await looked();
      const all = await issues();
      assert.equal(all.length, 1, 'one issue');
      seen.push(`${all[0].state} ${all[0].body.includes(amount)}`);
    }
    assert.deepEqual(
      seen.map((one) => one.split(' ')[0]),
      ['open', 'open', 'closed', 'open', 'closed'],
    );
    assert.deepEqual([seen[0], seen[1], seen[3]], ['open true', 'open true', 'open true']);
    passed('drift opens one issue, keeps it up to date, closes it, and opens it again');
  }

  async function button() {
    await dispatched(APPLY, 'stop', { command: 'pause', tasks: 'sniper/dusk' }, 'pause success');
    assert.match(await sandbox.live('dusk'), / off$/);
    const shown = await dispatched(
      APPLY,
      'stop',
      { command: 'resume', tasks: 'sniper/dusk' },
      'show success',
    );
    assert.match(await sandbox.live('dusk'), / off$/);
    const expect = /Digest ([0-9a-f]{64})/.exec(shown.log)?.[1];
    await dispatched(APPLY, 'stop', { command: 'resume', tasks: 'sniper/dusk', expect }, 'resume success');
    assert.match(await sandbox.live('dusk'), / on$/);
    passed('the stop button pauses; a resume shows first, and starts what it showed');
  }
}

/** The steps of docs/how-to/gitea.md. */
async function setUp(tasks, apply) {
  const { api } = gitea;
  for (const name of ['mira', 'theo', 'mallory', 'bot']) gitea.user(name);
  for (const org of ['desk', 'actions']) await api('root1', 'POST', '/orgs', { username: org });
  await repository('actions/checkout');
  const checkout = openClone(join(folder, 'checkout'));
  checkout.git('init', '-q');
  cpSync(new URL('checkout', import.meta.url), checkout.folder, { recursive: true });
  checkout.commit('v5');
  checkout.git('tag', 'v5');
  checkout.git('push', '-q', gitea.remote('root1', 'actions/checkout'), 'main', 'v5');
  const variables = { TRADEFORM_BASE_URL: sandbox.baseUrl };
  const reads = { TRADEFORM_READ_TOKEN: SECRETS.read, STAGING_TOKEN: SECRETS['desk-1'] };
  await pairOf(TASKS, reads, APPLY, { TRADEFORM_TOKEN: SECRETS.write }, variables);

  tasks.git('init', '-q');
  const staging = ', staging: { account: { login_username: desk-1 } }';
  tasks.write('tradeform.yaml', projectOf(sandbox.baseUrl, staging));
  tasks.write('manifests/dawn.yaml', taskOf('dawn', '0.1'));
  tasks.write('manifests/dusk.yaml', taskOf('dusk', '0.2'));
  tasks.write('.gitignore', 'node_modules/\n');
  npm(ROOT, 'pack', '--silent', '--ignore-scripts', '--pack-destination', tasks.folder);
  for (const file of tasks.tradeform('init', '--ci', 'gitea').trim().split('\n')) adapt(tasks, file);
  npm(tasks.folder, 'install', '--silent', '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  apply.git('init', '-q');
  cpSync(join(tasks.folder, 'apply-repository'), apply.folder, { recursive: true });
  publish([apply, APPLY], [tasks, TASKS]);
}

/** The files of examples/ci/gitea, with the packed program of the other repository. */
async function setUpFleet(repo, jobs, packed) {
  const variables = { TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_*=${new URL(sandbox.baseUrl).origin}` };
  const named = (name) => ({ [`${name}_DESK_1`]: SECRETS['desk-1'], [`${name}_DESK_2`]: SECRETS['desk-2'] });
  await pairOf(FLEET, named('READ_TOKEN'), FLEET_APPLY, named('TRADEFORM_TOKEN'), variables);
  for (const { git } of [repo, jobs]) git('init', '-q');
  const head = 'apiVersion: tradeform/v1\nkind';
  const units = `[{ project: accounts/*, token_env: "TRADEFORM_TOKEN_{NAME}" }]`;
  repo.write(
    'fleet.yaml',
    `${head}: Fleet\nmetadata: { name: desk }\nspec: { base_url: "${sandbox.baseUrl}", units: ${units} }\n`,
  );
  for (const desk of ['desk-1', 'desk-2'])
    repo.write(
      `accounts/${desk}/tradeform.yaml`,
      `${head}: Project\nmetadata: { name: core }\nspec: { account: { login_username: ${desk} } }\n`,
    );
  repo.write('accounts/desk-2/manifests/west.yaml', taskOf('west', '0.1'));
  for (const name of readdirSync(packed).filter((one) => /^\.gitignore$|^package|\.tgz$/.test(one)))
    cpSync(join(packed, name), join(repo.folder, name));
  for (const [clone, names] of [
    [repo, ['pull-request', 'drift']],
    [jobs, ['apply', 'stop']],
  ])
    for (const name of names) {
      const file = `.gitea/workflows/tradeform-fleet-${name}.yml`;
      clone.write(file, readFileSync(join(ROOT, `examples/ci/gitea/fleet-${name}.yml`), 'utf8'));
      adapt(clone, file);
    }
  publish([jobs, FLEET_APPLY], [repo, FLEET]);
}

function npm(cwd, ...args) {
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

function adapt({ folder: home }, file) {
  const path = join(home, file);
  // The commit of actions/checkout that the workflows name is on github.com.
  const text = readFileSync(path, 'utf8').replace(/actions\/checkout@\w+ # .*/g, 'actions/checkout@v5');
  writeFileSync(path, text.replace(/cron: ".*"/, `cron: "${NEVER}"`));
}

function publish(...clones) {
  for (const [clone, name] of clones) {
    clone.commit('The desk');
    clone.git('push', '-q', gitea.remote('mira', name), 'main');
  }
}

function repository(path, hidden = false) {
  const [org, name] = path.split('/');
  return gitea.api('root1', 'POST', `/orgs/${org}/repos`, { name, private: hidden, default_branch: 'main' });
}

/** The repository of the manifests, and the one that applies, with their people, secrets and variables. */
async function pairOf(of, reads, to, writes, variables) {
  const { api } = gitea;
  for (const [name, own] of [
    [of, reads],
    [to, writes],
  ]) {
    const hidden = name === to;
    await repository(name, hidden);
    for (const user of hidden ? ['mira'] : ['mira', 'theo', 'bot'])
      await api('root1', 'PUT', `/repos/${name}/collaborators/${user}`, { permission: 'write' });
    const rights = `read:user,${hidden ? 'write' : 'read'}:repository,write:issue`;
    const bot = gitea.tokenOf('bot', name.replace('/', '-'), rights);
    secrets = [...secrets, bot];
    for (const [secret, data] of Object.entries({ ...own, TRADEFORM_BOT_TOKEN: bot }))
      await api('root1', 'PUT', `/repos/${name}/actions/secrets/${secret}`, { data });
    for (const [variable, value] of Object.entries({
      ...variables,
      ...(hidden && { TRADEFORM_REPOSITORY: of }),
    }))
      await api('root1', 'POST', `/repos/${name}/actions/variables/${variable}`, { value });
  }
}
