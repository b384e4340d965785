/**
 * `npm run demo`: all of tradeform in one session, over real HTTP with the embedded service on loopback. Every output comes from
 * the real program. Every step is checked, and a failed check ends with 1.
 */
import assert from 'node:assert/strict';
import {
  beginning,
  COLOR,
  chapter,
  command,
  events,
  leftOut,
  output,
  passed,
  planAndReport,
  tell,
} from './demo/print.mjs';
import { Service } from './demo/service.mjs';
import { Stage } from './demo/stage.mjs';

/** A safety net for a run that hangs, far above the time that a busy machine takes. */
const LIMIT_MS = 600_000;
const begun = performance.now();
const late = setTimeout(() => fail(new Error('it took too long')), LIMIT_MS);

let stage;
try {
  stage = new Stage();
  await demo();
} catch (error) {
  fail(error);
}
clearTimeout(late);
// Not an exit, so that buffered output still reaches a pipe.
stage.clear();

async function demo() {
  const sandbox = await stage.startSandbox();
  const [ours, persons, others] = sandbox.tokens.map(({ token }) => token);
  const secrets = sandbox.tokens.map(({ token }) => token.split('.')[1]);
  const service = new Service(sandbox.base_url, persons);

  let lastPlan = '';

  /** Runs a command line, shows it and its output, and checks its exit code. */
  async function tradeform(line, { code = 0, token = ours, show = 'news' } = {}) {
    const result = await stage.run(line.split(' '), {
      TRADEFORM_BASE_URL: sandbox.base_url,
      TRADEFORM_TOKEN: token,
      ...(COLOR ? { CLICOLOR_FORCE: '1' } : {}),
    });
    const { stdout, stderr } = result;
    for (const secret of secrets) {
      assert(!`${stdout}${stderr}`.includes(secret), `\`tradeform ${line}\` printed a token`);
    }
    if (show !== 'nothing') {
      command(`tradeform ${line}`);
      const { plan, report } = planAndReport(stdout);
      if (plan !== '' && plan === lastPlan) leftOut('the plan, as above');
      else if (show === 'beginning') beginning(plan, 2);
      else output(plan, { whole: show === 'whole' });
      if (show !== 'beginning') lastPlan = plan;
      output(stderr);
      output(report, { whole: show === 'whole' });
      if (code !== 0) passed(`It ended with exit code ${result.code}.`);
    }
    assert.equal(result.code, code, `\`tradeform ${line}\` ended with ${result.code}\n${stderr}`);
    return result;
  }

  /** The plan as data, for the checks. */
  async function planned() {
    return JSON.parse((await tradeform('plan -o json', { show: 'nothing' })).stdout);
  }

  await prologue();
  const start = await firstApply({ service, tradeform, planned, others });
  await lifeGoesOn({ service, tradeform, planned });
  await gitMovesOn({ service, tradeform });
  await epilogue({ service, tradeform, planned, start });
}

async function prologue() {
  tell(
    `This demo runs tradeform against its own sandbox: an implementation of the whole trading-task service, on loopback,
    with made-up accounts. Nothing leaves this machine. The repository is a copy of examples/quickstart; every output
    below is the real program's, shortened only where brackets say so, and every outcome is checked over the API.`,
  );
  tell(
    `One thing is changed in the copy: settle.replace is 1s instead of 60s, the time that a replaced task is given until
    execution nodes have surely heard of its pause.`,
  );
  stage.edit('tradeform.yaml', 'replace: 60s', 'replace: 1s');
  stage.commit('The desk as code');
}

async function firstApply({ service, tradeform, planned, others }) {
  chapter(1, 'What git wants, and what is there');
  tell(
    `Six kinds of manifests in manifests/: tasks of three kinds, templates of two, labels. validate checks them offline:
    schema, ranges, every rule across fields, and whether each remark leaves room for its marker.`,
  );
  await tradeform('validate');

  tell(
    `The account is not empty. Some tasks carry this repository's marker in their remark, [git:core/…]: they are owned.
    Some carry another repository's: foreign. Some were made by hand: unmanaged. A plan reads all of it, writes nothing,
    and says first what would start or stop trading.`,
  );
  await service.clearLog();
  await tradeform('plan');
  const requests = await service.log();
  assert(
    requests.every(({ method }) => method === 'GET'),
    'plan sent more than GET requests',
  );
  passed(`The service counted ${requests.length} requests for this plan, all of them GET.`);
  tell(
    `Read it closely: sniper/dawn runs with an earlier buy amount. copy-trade/scout was made by hand, and copies the
    wallet that git wants to copy: it is adopted, not duplicated. sniper/spring is ours and has no manifest any more.
    whale-7 and treasury are unchanged, although the service has 0.150 for 0.15 and its sets in another order.`,
  );

  tell(
    `What if the token belongs to somebody else's account? There everything would look new, and a careless tool would
    create it all a second time.`,
  );
  const before = await service.tasks();
  await tradeform('apply --auto-approve', { token: others, code: 4, show: 'beginning' });

  tell(
    `Now the right one. On a terminal apply asks for a literal yes; here the digest of the plan stands for it. Without either,
    sniper/spring would stay: anybody can write a marker into a remark, and no commit here ever named it. A new task is created
    paused and then started; the running dawn is marked, paused, patched and resumed.`,
  );
  const { digest } = await planned();
  await tradeform(`apply --auto-approve --expect ${digest}`);

  const after = await service.tasks();
  assert.equal(after.get('sniper/dawn').config.buy_amount, '0.2');
  assert.equal(after.get('sniper/dawn').is_active, true);
  assert.equal(
    after.get('copy-trade/scout').id,
    [...before.values()].find(({ remark }) => remark === 'scouting').id,
  );
  assert.equal(after.get('sniper/launch-bags').is_active, false);
  assert.equal(after.get('sniper/by-hand').is_active, false);
  assert.equal(after.get('sniper/one-shot').is_active, true);
  assert(!after.has('sniper/spring'));
  passed('Read back over the API: as git wants it.');

  tell('And a second time? There is nothing left to do.');
  const { code } = await tradeform('plan --detailed-exitcode', { show: 'whole' });
  assert.equal(code, 0);
  passed('Exit code 0: with --detailed-exitcode that means no differences.');
  return after;
}

async function lifeGoesOn({ service, tradeform, planned }) {
  chapter(2, 'Meanwhile, outside of git');
  tell('The same account, other hands: a person with a token of their own, and the market.');

  await service.pause(await service.task('copy-trade/whale-7'));
  const fired = await service.fire(await service.task('sniper/one-shot'));
  assert.deepEqual(fired, { traded: true, deactivated: true });
  const dawn = await service.task('sniper/dawn');
  await service.editRunning(dawn, { ...dawn.config, buy_amount: '0.9' });
  events(
    'A person does not like what whale 7 does, and pauses copy-trade/whale-7.',
    'sniper/one-shot makes its one trade; having buy_once, the service switches it off.',
    'Somebody tries a larger buy_amount on sniper/dawn: pause, edit, resume.',
  );
  await tradeform('plan');
  tell(
    `Three tasks differ from git, and only one is changed back. dawn runs with a config that nobody committed: it is put
    right. The other two were stopped, one by a person and one by its own buy_once. Both carry the mark "no start of
    ours is pending" (@0), so the stop was somebody's, and starting them again could cost money. They are held.`,
  );
  await tradeform('apply --auto-approve');
  const tasks = await service.tasks();
  assert.equal(tasks.get('sniper/dawn').config.buy_amount, '0.2');
  assert.equal(tasks.get('sniper/dawn').is_active, true);
  assert.equal(tasks.get('copy-trade/whale-7').is_active, false);
  assert.equal(tasks.get('sniper/one-shot').is_active, false);
  const { summary } = await planned();
  assert.equal(summary.held, 2);
  assert.equal(summary.update, 0);
  passed('dawn is back at 0.2 and runs; whale-7 and one-shot are still paused.');
}

async function gitMovesOn({ service, tradeform }) {
  chapter(3, 'Git moves on');
  tell('A commit with five edits:');
  stage.edit('manifests/snipers/launches.yaml', 'remark: Launches on pump-fun', 'remark: Pump-fun, larger');
  stage.edit('manifests/snipers/launches.yaml', 'buy_amount: "0.1"\n', 'buy_amount: "0.15"\n');
  stage.edit(
    'manifests/labels.yaml',
    'name: trial\nspec:\n',
    'name: trial\n  previous_name: trial\nspec:\n  name: On trial\n',
  );
  stage.removeDocument('manifests/snipers/launches.yaml', 'launch-meteora');
  stage.edit(
    'manifests/transfer-snipes.yaml',
    'F6QwUiqSc63rfzHxnAm8qDSo7bRxjUTJyG55QdKgftZK',
    '9fzZpzz8n59C3art9UDzwfgyg29Q44GAJyWvkr31MJae',
  );
  stage.edit('manifests/snipers/one-shot.yaml', 'rearm: a', 'rearm: b');
  events(
    'sniper/launch-pump: buy_amount 0.1 becomes 0.15, and the remark says so.',
    'label/trial: it is to be shown as "On trial"; previous_name makes that a rename.',
    'sniper/launch-meteora: the manifest is removed.',
    'transfer-snipe/treasury: another target_wallet.',
    'sniper/one-shot: rearm b instead of a. It may shoot once more.',
  );
  stage.commit('Larger, renamed, moved, one more shot');

  tell('The plan is saved this time, to be reviewed and applied exactly as it was shown.');
  await tradeform('plan --out evening.plan');
  tell(
    `launch-meteora runs, so it is paused before it is deleted. The treasury's target cannot be changed on the service:
    a new task takes over, and does not start before the present one is paused, settled and gone. one-shot is asked anew
    by its rearm; whale-7 is not, and stays held.`,
  );
  const pump = await service.task('sniper/launch-pump');
  await service.editRunning(pump, {
    ...pump.config,
    relay_mode: { ...pump.config.relay_mode, tip_amount: '0.5' },
  });
  events('While the plan waits for its review, somebody raises the tip of sniper/launch-pump.');
  await tradeform('apply evening.plan', { code: 4 });
  tell(
    `The plan was made for a task that is no longer the same, so it is refused before the first write. What was reviewed
    is what is applied, or nothing is. A new plan shows the tip as well:`,
  );
  await tradeform('plan --out evening.plan');
  await tradeform('apply evening.plan');
}

async function epilogue({ service, tradeform, planned, start }) {
  chapter(4, 'The end');
  await tradeform('plan', { show: 'whole' });
  const { changes, operations } = await planned();
  assert.deepEqual(
    changes.filter(({ held }) => held).map(({ address }) => address),
    ['copy-trade/whale-7'],
  );
  assert.deepEqual(operations, []);

  const tasks = await service.tasks();
  const labels = await service.labels();
  const treasury = tasks.get('transfer-snipe/treasury');
  assert.equal(tasks.get('sniper/launch-pump').config.buy_amount, '0.15');
  assert.equal(tasks.get('sniper/launch-pump').config.relay_mode.tip_amount, '0.005');
  assert.equal(tasks.get('sniper/launch-pump').is_active, true);
  assert(!tasks.has('sniper/launch-meteora'));
  assert.notEqual(treasury.id, start.get('transfer-snipe/treasury').id);
  assert.equal(treasury.target_wallet, '9fzZpzz8n59C3art9UDzwfgyg29Q44GAJyWvkr31MJae');
  assert.equal(treasury.is_active, true);
  assert.equal(tasks.get('sniper/one-shot').is_active, true);
  assert.equal(tasks.get('copy-trade/whale-7').is_active, false);
  assert.equal(
    labels.find(({ name }) => name === 'On trial').id,
    tasks.get('copy-trade/scout').risk_label_id,
    'the label kept its id, and its tasks kept the label',
  );
  const bystanders = [...start].filter(([name]) => name.includes(' '));
  assert.equal(bystanders.length, 4);
  for (const [name, task] of bystanders) assert.deepEqual(tasks.get(name), task);
  assert.equal(tasks.size, 12 + bystanders.length);
  passed(
    'Read back over the API: 12 tasks as git wants them, whale-7 apart.',
    'The four unmanaged and foreign tasks are exactly as they were, down to their versions.',
    `No output held a token. It took ${((performance.now() - begun) / 1000).toFixed(0)} seconds.`,
  );
  tell(
    `copy-trade/whale-7 is held because a person paused it: it was running, its marker says that no start of ours is
    pending, and nothing in git asked anew since. It stays paused, in every later plan and apply too, until somebody
    says otherwise: a new rearm value in its manifest, or tradeform apply --resume-stopped copy-trade/whale-7.`,
  );
}

function fail(error) {
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
