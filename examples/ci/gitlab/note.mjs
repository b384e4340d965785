// The notes on a merge request: what its plan would do, and the result of the apply.
//
//   node note.mjs write FILE     writes FILE (tradeform plan --report markdown=FILE) as a note, over an existing one; without the
//                                file the note says that there is no plan
//   node note.mjs reviewed FOLDER ENVIRONMENT  writes what an apply goes out from. FOLDER/base: the last commit that was applied
//                                whole, as GitLab's deployments to ENVIRONMENT say. FOLDER/merged: the merge requests since then,
//                                the newest first; FOLDER/1.md, 2.md …: their notes with a plan, unless EXPECT names a digest.
//                                tradeform apply --base BASE --expect-changes FILE … applies what is left of these plans
//   node note.mjs result FILE CODE FOLDER  writes FILE (tradeform apply --report markdown=FILE) as a second note on each of them;
//                                unless the exit code in the file CODE is 0, the note says how to continue
//   node note.mjs issue FILE CODE  keeps one issue with FILE (tradeform drift --report markdown=FILE) open while the exit code in the
//                                file CODE is not 0, and closes the issue when it is 0
//
// TRADEFORM_GITLAB_TOKEN is the token that writes the notes. Only notes of its own user are changed or believed, because anybody
// can write a note that looks the same.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const {
  CI_API_V4_URL,
  CI_PROJECT_ID,
  CI_COMMIT_SHA,
  CI_COMMIT_BRANCH,
  CI_COMMIT_BEFORE_SHA = '',
  EXPECT,
  CI_MERGE_REQUEST_IID,
  CI_PIPELINE_URL,
} = process.env;
const {
  TRADEFORM_GITLAB_TOKEN: token,
  TRADEFORM_PROJECT,
  TRADEFORM_ENVIRONMENT,
  TRADEFORM_ONLY,
  // The fleet file, if the notes are about a fleet: TRADEFORM_PROJECT is its name then.
  TRADEFORM_FLEET,
} = process.env;
/** Begins every note about this project and environment. The digest follows, or `-` without a plan. */
const header = (of) =>
  `<!-- tradeform:${TRADEFORM_FLEET ? 'fleet' : ''}${of} project=${TRADEFORM_PROJECT} environment=${TRADEFORM_ENVIRONMENT || '-'} digest=`;
const HEADER = /^<!-- tradeform:[a-z]+ [^\n]*digest=([0-9a-f]{64}|-) -->\r?\n/;

const NO_PLAN = 'There is no plan of this merge request: the job that makes it failed. Its log says why.\n';
const NO_RESULT =
  'There is no report of the apply: it was cut off, or did not begin because no plan was reviewed. The logs of the pipeline say which.\n';
const LABEL = 'tradeform-drift';
const NO_DRIFT_REPORT =
  'There is no report: the job that looks for drift was cut off, or did not begin. Its log says why.\n';

const [command, file, second, folder] = process.argv.slice(2);
try {
  if (command === 'write' && file !== undefined) await write();
  else if (command === 'reviewed' && second !== undefined) await reviewed();
  else if (command === 'result' && folder !== undefined) await result();
  else if (command === 'issue' && second !== undefined) await issue();
  else
    throw new Error(
      'usage: note.mjs write FILE | reviewed FOLDER ENVIRONMENT | result FILE CODE FOLDER | issue FILE CODE',
    );
} catch (error) {
  console.error(`note.mjs: ${error.message}`);
  process.exitCode = 1;
}

async function write() {
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no note is written.');
  const plan = textOf(file, NO_PLAN);
  const merging =
    (HEADER.exec(plan)?.[1] ?? '-') === '-' ? '' : 'Merging applies only what this plan shows. ';
  await put(
    CI_MERGE_REQUEST_IID,
    'plan',
    `${plan}\n---\n${merging}Made by [this pipeline](${CI_PIPELINE_URL}).\n`,
  );
}

/** The apply is already done. Without a merge request there is nobody to tell. */
async function result() {
  const ended = textOf(second, '').trim();
  if (ended === 'nothing') return console.error('Nothing was done: the notes stay as they are.');
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no note is written.');
  const iids = textOf(join(folder, 'merged'), '').split('\n').filter(Boolean);
  if (iids.length === 0) return console.error('No merge request gets a comment about this apply.');
  const report = textOf(file, NO_RESULT);
  const way = wayOn(ended, HEADER.exec(report)?.[1] ?? '-', textOf(join(folder, 'base'), ''));
  for (const iid of iids) await put(iid, 'apply', `${report}${way}`);
}

/** Only issues of the token's own user are changed, because anybody can open one that looks like it. */
async function issue() {
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no issue is kept.');
  const me = await ask('GET', `${CI_API_V4_URL}/user`);
  const open = await pages(`/issues?state=opened&labels=${LABEL}`);
  const [own, ...others] = open.filter(
    ({ author, description }) => author.id === me.body.id && description?.startsWith(header('drift')),
  );
  const settled = textOf(second, '').trim() === '0';
  // Two simultaneous runs may each have opened one.
  for (const { iid } of settled && own ? [own, ...others] : others)
    await ask('PUT', `/issues/${iid}`, { state_event: 'close' });
  if (settled) return;
  const report = textOf(file, NO_DRIFT_REPORT).replace(HEADER, '');
  const description = `${header('drift')}- -->\n${report}\n---\n[The pipeline that looked](${CI_PIPELINE_URL}).\n`;
  const title = `tradeform: ${TRADEFORM_PROJECT} differs from git`;
  if (own === undefined) await ask('POST', '/issues', { title, description, labels: LABEL });
  else await ask('PUT', `/issues/${own.iid}`, { title, description });
}

function wayOn(code, digest, base) {
  if (code === '0') return '';
  const plan = `tradeform ${TRADEFORM_FLEET ? `fleet plan --fleet ${TRADEFORM_FLEET}` : 'plan'}${TRADEFORM_ENVIRONMENT ? ` --environment ${TRADEFORM_ENVIRONMENT}` : ''}${TRADEFORM_ONLY ? ` --only ${TRADEFORM_ONLY} --base ${base || 'HEAD^1'}` : ''}`;
  const what = digest === '-' ? `the digest of \`${plan}\` as \`EXPECT\`` : `\`EXPECT\` = \`${digest}\``;
  const byHand = `run the pipeline of the default branch by hand with ${what}`;
  const pipeline = `[this pipeline](${CI_PIPELINE_URL})`;
  if (code === '4' && digest !== '-')
    return `\n**What to do next.** Nothing was changed. If you agree with the plan that ${pipeline} shows, ${byHand}.\n`;
  // The plan of a fleet is approved as one. After a part of it is done, it is a different plan.
  const again = TRADEFORM_FLEET
    ? `To apply what is left, ${byHand}`
    : `Run the job of ${pipeline} again to apply what is left of the reviewed changes, or merge the next one, whose pipeline applies it as well. Or ${byHand}`;
  const left = digest === '-' ? '' : ' to apply the plan as it is after this run';
  return `\n**What to do next.** ${code === '4' ? `Nothing was changed. To apply it, ${byHand}` : `${again}${left}`}.\n`;
}

function textOf(name, without) {
  return existsSync(name) ? readFileSync(name, 'utf8') : without;
}

async function put(iid, of, report) {
  // A command that failed early does not know the project, so the header is written again.
  const body = `${header(of)}${HEADER.exec(report)?.[1] ?? '-'} -->\n${report.replace(HEADER, '')}`;
  const notes = `/merge_requests/${iid}/notes`;
  const [note] = await ownNotes(iid, of);
  if (note === undefined) await ask('POST', notes, { body });
  else await ask('PUT', `${notes}/${note.id}`, { body });
}

async function reviewed() {
  const { base, since } = await applyBase();
  mkdirSync(file, { recursive: true });
  writeFileSync(join(file, 'base'), base);
  const found = token ? await Promise.all(since.map(mergedAs)) : [];
  writeFileSync(
    join(file, 'merged'),
    found
      .flat()
      .map(({ iid }) => `${iid}\n`)
      .join(''),
  );
  // By hand, a digest is approved. What was applied whole used its reviews up.
  if (EXPECT || since.length === 0) return;
  if (found[0]?.length !== 1)
    throw new Error(`${found[0]?.length ?? 0} merge requests were merged as ${CI_COMMIT_SHA}`);
  const plans = [];
  for (const { iid } of found.flat()) {
    const notes = await ownNotes(iid, 'plan');
    const [only, ...others] = new Set(notes.map(({ body }) => HEADER.exec(body)?.[1] ?? '-'));
    if (only === undefined || only === '-' || others.length > 0) {
      console.log(`merge request ${iid} has no note with one plan: it does not count as reviewed`);
      continue;
    }
    console.log(`Merge request ${iid} was reviewed with plan ${only}`);
    plans.push(notes[0].body);
  }
  if (plans.length === 0)
    throw new Error('no merge request has a note with one plan: nobody reviewed what would be applied');
  for (const [index, plan] of plans.entries())
    writeFileSync(join(file, `${index + 1}.md`), plan, { mode: 0o600 });
}

/**
 * The last commit that was applied whole: GitLab records each job that succeeded in an environment. Before the first of them, the
 * branch before the push. With the commits since then, the newest first.
 */
async function applyBase() {
  const line = [CI_COMMIT_SHA];
  if (token) {
    const query = `ref_name=${CI_COMMIT_SHA}&first_parent=true&per_page=100`;
    const { body: commits } = await ask('GET', `/repository/commits?${query}`);
    line.splice(0, 1, ...commits.map(({ id }) => id));
    const made = `environment=${encodeURIComponent(second)}&status=success&order_by=id&sort=desc&per_page=100`;
    const { body: deployments } = await ask('GET', `/deployments?${made}`);
    const whole = new Set(deployments.map(({ sha }) => sha));
    const at = line.findIndex((commit) => whole.has(commit));
    if (at >= 0) return { base: line[at], since: line.slice(0, at) };
  }
  // Whoever approves a digest by hand means the newest commit.
  const base = /[1-9a-f]/.test(CI_COMMIT_BEFORE_SHA) ? CI_COMMIT_BEFORE_SHA : EXPECT ? 'HEAD^1' : '';
  return { base, since: line.slice(0, Math.max(1, line.indexOf(base))) };
}

async function mergedAs(commit) {
  const merged = await pages(`/repository/commits/${commit}/merge_requests`);
  // Somebody who merged the same commit into another branch may have done so without a review.
  const here = merged.filter(({ target_branch: into }) => into === CI_COMMIT_BRANCH);
  return here.filter(({ state, merge_commit_sha, squash_commit_sha, sha }) => {
    return state === 'merged' && [merge_commit_sha, squash_commit_sha, sha].includes(commit);
  });
}

async function ownNotes(iid, of) {
  const me = await ask('GET', `${CI_API_V4_URL}/user`);
  const notes = await pages(`/merge_requests/${iid}/notes`);
  return notes.filter(({ author, body }) => author.id === me.body.id && body.startsWith(header(of)));
}

async function pages(path) {
  const items = [];
  for (let page = '1'; page !== ''; ) {
    const { body, next } = await ask(
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
    );
    items.push(...body);
    page = next;
  }
  return items;
}

async function ask(method, path, body) {
  const url = path.startsWith('/') ? `${CI_API_V4_URL}/projects/${CI_PROJECT_ID}${path}` : path;
  const response = await fetch(url, {
    method,
    redirect: 'error',
    headers: { 'PRIVATE-TOKEN': token ?? '', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`GitLab answered ${method} ${path} with ${response.status}`);
  return { body: await response.json(), next: response.headers.get('x-next-page') ?? '' };
}
