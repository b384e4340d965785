// npm run test:kubernetes: the chart and the manifests against a real control plane, whose pods `kubelet.mjs` runs.
//   --write        writes deploy/kubernetes/manifests from the chart; nothing else
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { startControlPlane, until } from './control-plane.mjs';
import { openDesk } from './desk.mjs';
import { Kubelet } from './kubelet.mjs';
import { buildTools, missingTools } from './tools.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CHART = join(ROOT, 'deploy/kubernetes/chart');
const MANIFESTS = join(ROOT, 'deploy/kubernetes/manifests');
const NAMESPACE = 'tradeform';
const SHARDS = 3;

const missing = missingTools();
if (missing.length > 0) {
  for (const [name, how] of missing) console.error(`test:kubernetes needs ${name}: ${how}`);
  console.error('NOT TESTED: the manifests for Kubernetes.');
  process.exit(77);
}
const tools = buildTools();
if (process.argv.includes('--write')) {
  for (const [name, text] of generated()) writeFileSync(join(MANIFESTS, name), text);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'tradeform-chart-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
checkChart();
const plane = await startControlPlane(tools);
const desk = await openDesk(8);
const claims = join(folder, 'claims');
mkdirSync(claims);
const kubelet = new Kubelet(plane, { namespace: NAMESPACE, claims });
try {
  await checkManifests();
  await walk();
  console.log('All of it holds.');
} catch (error) {
  for (const [name, output] of kubelet.outputs) console.error(`── ${name}\n${output}`);
  console.error(error);
  process.exitCode = 1;
} finally {
  await kubelet.stop();
  await desk.close();
  await plane.stop();
  // A command line may still wait for the cluster that is gone.
  process.exit();
}

function passed(text) {
  console.log(`✓ ${text}`);
}

function helmTemplate(...args) {
  const given = ['template', 'tradeform', CHART, '--namespace', NAMESPACE, '--kube-version', '1.36', ...args];
  return execFileSync(tools.helm, given, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The plain manifests, by their names. */
function generated() {
  const head = '# Written by `npm run test:kubernetes -- --write` from ../chart; change that.\n';
  const commit = '# REVISION is the commit to apply: `git rev-parse origin/main`.\n';
  const only = (name) => ['--show-only', `templates/${name}.yaml`];
  return [
    ['drift.yaml', head + helmTemplate(...only('shared'), ...only('drift'))],
    [
      'apply.yaml',
      head + commit + helmTemplate(...only('apply'), '--set-string', `apply.revision=${'0'.repeat(40)}`),
    ],
  ];
}

function checkChart() {
  execFileSync(tools.helm, ['lint', '--strict', '--kube-version', '1.36', CHART], { stdio: 'pipe' });
  for (const [name, text] of generated()) {
    const current = readFileSync(join(MANIFESTS, name), 'utf8') === text;
    assert(current, `manifests/${name} is not what the chart gives: npm run test:kubernetes -- --write`);
  }
  for (const wrong of [
    'drift.shard=3',
    'apply.revision=main',
    'terminationGracePeriodSeconds=30',
    'retries=many',
    'network.cidrs=null',
  ])
    assert.throws(
      () => helmTemplate('--set', wrong),
      /values don't meet the specifications|network.cidrs must have/,
      wrong,
    );
  assert.throws(() => helmTemplate('--set-json', 'network.cidrs=[]'), /values don't meet the specifications/);
  passed('helm lint, the plain manifests are those of the chart, and a wrong value is refused');
}

/** Every manifest by strict field validation, in a namespace that warns of whatever is not `restricted`. */
async function checkManifests() {
  const labels = { 'pod-security.kubernetes.io/warn': 'restricted' };
  const name = 'checked';
  await plane.api('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels },
  });
  const revision = ['--set-string', `apply.revision=${desk.commit}`];
  const variants = [
    ...generated().map(([, text]) => text),
    helmTemplate(...revision, '--set', 'drift.shards=1,apply.shards=1'),
    helmTemplate(...revision, '--set', 'git.repository=,drift.args={--quiet}'),
    helmTemplate(...revision, '--set', 'git.deployKey=,results.storageClass=nfs,network.except=null'),
  ];
  const documents = variants.flatMap((text) => parseAllDocuments(text).map((one) => one.toJS()));
  const create = ({ apiVersion, kind, metadata, ...rest }) => {
    const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
    const kinds = kind.toLowerCase().replace(/y$/, 'ie');
    const path = `${group}/namespaces/${name}/${kinds}s?fieldValidation=Strict&dryRun=All`;
    return plane.ask('POST', path, { apiVersion, kind, metadata: { ...metadata, namespace: name }, ...rest });
  };
  for (const document of documents) {
    const { status, document: answer, warning } = await create(document);
    assert.deepEqual([status, warning], [201, undefined], `${document.kind}: ${answer.message}`);
  }
  // Both checks can fail.
  const job = documents.find(({ kind }) => kind === 'Job');
  const typo = await create({ ...job, spec: { ...job.spec, backoffLimitPerIdx: 1 } });
  assert.match(typo.document.message, /unknown field "spec.backoffLimitPerIdx"/);
  const loose = structuredClone(job);
  delete loose.spec.template.spec.containers[0].securityContext;
  assert.match((await create(loose)).warning, /would violate PodSecurity .*restricted/);
  passed(`${documents.length} manifests pass strict validation and the pod security standard "restricted"`);
}

async function walk() {
  const lines = linesOfPage();
  const cwd = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', desk.repository, cwd]);
  symlinkSync(join(ROOT, 'deploy'), join(cwd, 'deploy'));
  const write = (name, text) => {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  write('fleet.yaml', desk.fleet);
  for (const [name, token] of Object.entries(desk.tokens)) write(`tokens/${name}`, token);
  write('deploy_key', 'none');
  write('known_hosts', 'none');
  const values = {
    git: { repository: desk.repository, deployKey: '' },
    drift: { shards: SHARDS, schedule: '0 0 1 1 *' },
    apply: { shards: SHARDS },
    deadline: 600,
  };
  write('values.yaml', JSON.stringify(values));
  const path = `${dirname(tools.helm)}${delimiter}${dirname(tools.kubectl)}${delimiter}${process.env.PATH}`;
  const env = { PATH: path, HOME: folder, KUBECONFIG: plane.kubeconfig };
  /** Ends with the exit code and what was printed. */
  const shell = async (line) => {
    const child = spawn('bash', ['-c', line], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        printed += text;
      });
    const [code] = await once(child, 'close');
    return { code, printed };
  };
  const good = async (line) => {
    const { code, printed } = await shell(line);
    assert.equal(code, 0, `${line}\n${printed}`);
    return printed;
  };
  const helm = (more = '') =>
    `helm -n ${NAMESPACE} upgrade --install desk deploy/kubernetes/chart --values values.yaml ${more}`;
  const applying = () => `--set "apply.revision=$(git rev-parse origin/main)" --timeout 10m`;
  const job = (name) => plane.api('GET', `/apis/batch/v1/namespaces/${NAMESPACE}/jobs/${name}`);
  /** Waits for a Job of the same name, which Helm makes after it has deleted the former. */
  const following = ({ metadata: { name, uid } }) =>
    until(`the Job after ${uid}`, 120, async () => {
      const { document } = await plane.ask('GET', `/apis/batch/v1/namespaces/${NAMESPACE}/jobs/${name}`);
      return document.kind === 'Job' && document.metadata.uid !== uid;
    });
  const ended = (name) =>
    until(`the end of ${name}`, 300, async () => {
      const one = await job(name);
      const end = (one.status.conditions ?? []).find(({ type }) => type === 'Complete' || type === 'Failed');
      return end === undefined ? undefined : { end: end.type, ...one };
    });
  const fileOf = ({ metadata: { name, uid } }) =>
    join(claims, 'desk-results', `${name}.${uid}`, 'fleet.json');
  const report = (one) => JSON.parse(readFileSync(fileOf(one), 'utf8'));
  const podsOf = async (name) =>
    (
      await plane.api(
        'GET',
        `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=batch.kubernetes.io/job-name=${name}`,
      )
    ).items;
  const indexOf = (pod) => Number(pod.metadata.annotations['batch.kubernetes.io/job-completion-index']);
  const drift = (name) => good(`kubectl -n ${NAMESPACE} create job --from=cronjob/desk-drift ${name}`);
  const arm = (method, times, fault) =>
    desk.control('POST', 'faults', { token: desk.prefixOf(victim), method, times, fault });
  /** Waits for the first request that the fault strikes, and then gives the pod of the victim's shard to `act`. */
  const whenStruck = async (name, act) => {
    const pod = await until('the fault', 120, async () => {
      const { struck } = await desk.control('GET', 'faults');
      const running = (one) =>
        indexOf(one) === indexes.get(victim) &&
        one.status.phase === 'Running' &&
        !one.metadata.deletionTimestamp;
      return struck.some((times) => times > 0) && (await podsOf(name)).find(running);
    });
    const { name: podName } = pod.metadata;
    await act(podName);
    return until(`the end of ${podName}`, 60, () => kubelet.codes.get(podName)?.tradeform);
  };
  const amounts = async () =>
    Object.fromEntries(
      [...(await desk.tasks())].map(([name, tasks]) => [
        name,
        tasks.map(({ config, is_active }) => [config.buy_amount, is_active]),
      ]),
    );
  const wanted = (digit) =>
    Object.fromEntries(desk.names.map((name, at) => [name, [[`${digit}.${at + 1}`, true]]]));

  // The page's own lines set it up.
  // The plain manifests name a git server that does not exist.
  for (const line of lines) await good(line.includes(' -f ') ? `${line} --dry-run=server` : line);
  passed(`the ${lines.length} lines of docs/how-to/kubernetes.md that need no image were run`);

  await good(helm(applying()));
  const first = await ended('desk-apply');
  assert.deepEqual([first.end, report(first).exit_code, await amounts()], ['Complete', 0, wanted(1)]);
  const home = join(claims, 'desk-results', `desk-apply.${first.metadata.uid}/shards`);
  const indexes = new Map(
    readdirSync(home).flatMap((file) =>
      JSON.parse(readFileSync(join(home, file), 'utf8')).units.map(({ name }) => [name, Number(file[0])]),
    ),
  );
  assert.equal(indexes.size, desk.names.length);
  passed('an apply by Helm: all shards, one report, every account as its manifests want it');

  // Two accounts of two shards.
  const [bad] = desk.names;
  const victim = desk.names.find((name) => indexes.get(name) !== indexes.get(bad));
  desk.raise(2);
  await good('git pull -q');
  const setToken = (token) =>
    plane.api(
      'PATCH',
      `/api/v1/namespaces/${NAMESPACE}/secrets/tradeform-tokens`,
      { stringData: { [bad]: token } },
      'application/merge-patch+json',
    );
  await setToken('svc_live_00000000.wrong');
  const hang = { type: 'hang', when: 'after-commit' };
  await arm('POST', 1, hang);
  const upgrade = shell(helm(applying()));
  await following(first);
  assert.equal(await whenStruck('desk-apply', (name) => kubelet.kill(name)), 137);
  assert.notEqual((await upgrade).code, 0);
  const second = await ended('desk-apply');
  const failed = [indexes.get(bad), SHARDS];
  assert.deepEqual([second.end, second.status.failedIndexes], ['Failed', failed.sort().join()]);
  const tried = (await podsOf('desk-apply')).filter(
    (pod) => pod.metadata.labels['batch.kubernetes.io/controller-uid'] === second.metadata.uid,
  );
  const tries = (index) => tried.filter((pod) => indexOf(pod) === index).length;
  assert.deepEqual([tries(indexes.get(victim)), tries(indexes.get(bad)), tries(SHARDS)], [2, 1, 1]);
  const results = Object.fromEntries(report(second).units.map(({ name, result }) => [name, result]));
  assert.deepEqual(
    results,
    Object.fromEntries(desk.names.map((name) => [name, name === bad ? 'failed' : 'ok'])),
  );
  assert.deepEqual(await amounts(), { ...wanted(2), [bad]: wanted(1)[bad] });
  passed(
    'an index that fails (a wrong token) and one that is killed after its first write: the second is run again, the first is not',
  );

  await desk.control('DELETE', 'faults');
  await setToken(desk.tokens[bad]);
  await good(helm(applying()));
  const third = await ended('desk-apply');
  assert.deepEqual([third.end, report(third).exit_code, await amounts()], ['Complete', 0, wanted(2)]);
  passed('the next apply goes on from there');

  const [edited] = (await desk.tasks()).get(bad);
  await desk.control('POST', 'edit', { id: edited.id, merge: { buy_amount: '7' } });
  await drift('drift-edited');
  const differing = await ended('drift-edited');
  assert.deepEqual(
    [differing.end, differing.status.failedIndexes, report(differing).exit_code],
    ['Failed', failed.join(), 2],
  );
  assert.deepEqual(
    report(differing)
      .units.filter(({ result }) => result !== 'ok')
      .map(({ name, result }) => [name, result]),
    [[bad, 'differs']],
  );
  assert.equal((await podsOf('drift-edited')).length, SHARDS + 1);
  passed('drift fails the Job, names the account, and is not tried again');

  await good(helm('--set retries=0,deadline=6'));
  await arm('GET', 0, hang);
  await drift('drift-lost');
  assert.equal(await whenStruck('drift-lost', (name) => kubelet.kill(name)), 137);
  const lost = await ended('drift-lost');
  await desk.control('DELETE', 'faults');
  const unseen = report(lost).units.filter(({ result }) => result === 'not-run');
  assert.deepEqual(
    unseen.map(({ name }) => name).sort(),
    desk.names.filter((name) => indexes.get(name) === indexes.get(victim)),
  );
  assert.deepEqual([lost.end, report(lost).exit_code], ['Failed', 1]);
  passed('a merge with an index missing: its accounts are "not-run", and the report ends with 1');

  desk.raise(3);
  await good('git pull -q');
  await arm('POST', 1, { type: 'delay', ms: 4_000 });
  const drained = shell(helm(`--set retries=0 ${applying()}`));
  await following(third);
  const drain = async (name) => {
    const isBegun = (pod) => pod.status.phase !== 'Pending';
    await until('all pods', 60, async () => (await podsOf('desk-apply')).every(isBegun));
    kubelet.full = true;
    await kubelet.drain(name);
  };
  assert.equal(await whenStruck('desk-apply', drain), 130);
  // Longer than the merging pod looks away: the document of an interrupted shard is no reason to begin.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const { metadata } = await job('desk-apply');
  assert(!existsSync(fileOf({ metadata })), 'merged with a shard that was interrupted');
  kubelet.full = false;
  assert.equal((await drained).code, 0, (await drained).printed);
  const fourth = await ended('desk-apply');
  assert.deepEqual([fourth.end, report(fourth).exit_code, await amounts()], ['Complete', 0, wanted(3)]);
  passed(
    'a node that is drained in the middle of an apply: it ends in order, and another pod goes on, without a retry counted',
  );

  await good(helm('--set-string "drift.schedule=* * * * *"'));
  const jobs = () => plane.api('GET', `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`);
  const fired = await until('the schedule', 90, async () =>
    (await jobs()).items.find(({ metadata }) => /^desk-drift-\d+$/.test(metadata.name)),
  );
  await good(helm());
  const night = await ended(fired.metadata.name);
  assert.deepEqual([night.end, report(night).exit_code], ['Complete', 0]);
  passed('the schedule starts a drift of its own');
}

/** The command lines of the page that can be run here. */
function linesOfPage() {
  const text = readFileSync(join(ROOT, 'docs/how-to/kubernetes.md'), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  const lines = blocks
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) => line.replace(/\s+#.*/, ''))
    .filter((line) => /^(?:kubectl|helm) /.test(line));
  return lines;
}
