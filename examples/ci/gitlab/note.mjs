// The notes on a merge request: what its plan would do, and the result of the apply.
//
//   node note.mjs write FILE     writes FILE (tradeform plan --report markdown=FILE) as a note, over an existing one; without the
//                                file the note says that there is no plan
//   node note.mjs reviewed FILE  writes the note with the plan, from the merge request that was merged as this commit, to FILE:
//                                tradeform apply --expect-changes FILE applies what is left of the plan
//   node note.mjs result FILE CODE  writes FILE (tradeform apply --report markdown=FILE) as a second note there; unless the exit
//                                code in the file CODE is 0, the note says how to continue; @ and the base of the plan may
//                                follow the code
//   node note.mjs issue FILE CODE  keeps one issue with FILE (tradeform drift --report markdown=FILE) open while the exit code in the
//                                file CODE is not 0, and closes the issue when it is 0
//
// TRADEFORM_GITLAB_TOKEN is the token that writes the notes. Only notes of its own user are changed or believed, because anybody
// can write a note that looks the same.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const {
  CI_API_V4_URL,
  CI_PROJECT_ID,
  CI_COMMIT_SHA,
  CI_COMMIT_BRANCH,
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

const [command, file, codeFile] = process.argv.slice(2);
try {
  if (command === 'write' && file !== undefined) await write();
  else if (command === 'reviewed' && file !== undefined)
    writeFileSync(file, await reviewed(), { mode: 0o600 });
  else if (command === 'result' && codeFile !== undefined) await result();
  else if (command === 'issue' && codeFile !== undefined) await issue();
  else
    throw new Error(
      'usage: note.mjs write FILE | note.mjs reviewed FILE | note.mjs result FILE CODE | note.mjs issue FILE CODE',
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
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no note is written.');
  const [only, ...others] = await mergedAs();
  if (only === undefined || others.length > 0)
    return console.error('No merge request gets a comment about this apply.');
  const report = textOf(file, NO_RESULT);
  await put(
    only.iid,
    'apply',
    `${report}${wayOn(textOf(codeFile, '').trim(), HEADER.exec(report)?.[1] ?? '-')}`,
  );
}

/** Only issues of the token's own user are changed, because anybody can open one that looks like it. */
async function issue() {
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no issue is kept.');
  const me = await ask('GET', `${CI_API_V4_URL}/user`);
  const open = await pages(`/issues?state=opened&labels=${LABEL}`);
  const [own, ...others] = open.filter(
    ({ author, description }) => author.id === me.body.id && description?.startsWith(header('drift')),
  );
  const settled = textOf(codeFile, '').trim() === '0';
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

function wayOn(ended, digest) {
  const [code, base] = ended.split('@');
  if (code === '0') return '';
  const plan = `tradeform ${TRADEFORM_FLEET ? `fleet plan --fleet ${TRADEFORM_FLEET}` : 'plan'}${TRADEFORM_ENVIRONMENT ? ` --environment ${TRADEFORM_ENVIRONMENT}` : ''}${TRADEFORM_ONLY ? ` --only ${TRADEFORM_ONLY} --base HEAD^1` : ''}`;
  const what =
    digest === '-'
      ? `the digest of \`${plan}\` as \`EXPECT\``
      : `\`EXPECT\` = \`${digest}${base ? `@${base}` : ''}\``;
  const byHand = `run the pipeline of the default branch by hand with ${what}`;
  const pipeline = `[this pipeline](${CI_PIPELINE_URL})`;
  if (code === '4' && digest !== '-')
    return `\n**What to do next.** Nothing was changed. If you agree with the plan that ${pipeline} shows, ${byHand}.\n`;
  // The plan of a fleet is approved as one. After a part of it is done, it is a different plan.
  const again = TRADEFORM_FLEET
    ? `To apply what is left, ${byHand}`
    : `Run the job of ${pipeline} again to apply what is left of the reviewed changes. Or ${byHand}`;
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
  const made = await mergedAs();
  if (made.length !== 1) throw new Error(`${made.length} merge requests were merged as ${CI_COMMIT_SHA}`);
  const [{ iid }] = made;
  const notes = await ownNotes(iid, 'plan');
  const [only, ...others] = new Set(notes.map(({ body }) => HEADER.exec(body)?.[1] ?? '-'));
  if (only === undefined || only === '-' || others.length > 0) {
    throw new Error(`merge request ${iid} has no note with one plan: nobody reviewed what would be applied`);
  }
  console.log(`Merge request ${iid} was reviewed with plan ${only.slice(0, 12)}`);
  return notes[0].body;
}

async function mergedAs() {
  const merged = await pages(`/repository/commits/${CI_COMMIT_SHA}/merge_requests`);
  // Somebody who merged the same commit into another branch may have done so without a review.
  const here = merged.filter(({ target_branch: into }) => into === CI_COMMIT_BRANCH);
  return here.filter(({ state, merge_commit_sha, squash_commit_sha, sha }) => {
    return state === 'merged' && [merge_commit_sha, squash_commit_sha, sha].includes(CI_COMMIT_SHA);
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
