// The note of a plan on its merge request.
//
//   node note.mjs write FILE   writes FILE (tradeform plan --report markdown=FILE) as a note, over the one that is there; without
//                              the file the note says that there is no plan
//   node note.mjs digest       prints the digest of the plan in the note on the merge request that was merged as this commit
//
// TRADEFORM_GITLAB_TOKEN is the token that the note is written with. Only notes of its own user are changed or believed:
// anybody can write one that looks like it.
import { existsSync, readFileSync } from 'node:fs';

const { CI_API_V4_URL, CI_PROJECT_ID, CI_COMMIT_SHA, CI_MERGE_REQUEST_IID } = process.env;
const { TRADEFORM_GITLAB_TOKEN: token, TRADEFORM_PROJECT, TRADEFORM_ENVIRONMENT } = process.env;
/** Begins every note about this project and environment; the digest follows, or `-` where there is no plan. */
const OURS = `<!-- tradeform:plan project=${TRADEFORM_PROJECT} environment=${TRADEFORM_ENVIRONMENT || '-'} digest=`;
const HEADER = /^<!-- tradeform:plan [^\n]*digest=([0-9a-f]{64}|-) -->\r?\n/;

const NO_PLAN = 'There is no plan of this merge request: the job that makes it failed. Its log says why.\n';

const [command, file] = process.argv.slice(2);
try {
  if (command === 'write' && file !== undefined)
    await write(existsSync(file) ? readFileSync(file, 'utf8') : NO_PLAN);
  else if (command === 'digest') console.log(await digest());
  else throw new Error('usage: note.mjs write FILE | note.mjs digest');
} catch (error) {
  console.error(`note.mjs: ${error.message}`);
  process.exitCode = 1;
}

async function write(report) {
  if (!token) return console.error('TRADEFORM_GITLAB_TOKEN is not set: no note is written.');
  // A plan that failed does not know the project: the header is written anew.
  const body = `${OURS}${HEADER.exec(report)?.[1] ?? '-'} -->\n${report.replace(HEADER, '')}`;
  const notes = `/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
  const [note] = await ownNotes(CI_MERGE_REQUEST_IID);
  if (note === undefined) await ask('POST', notes, { body });
  else await ask('PUT', `${notes}/${note.id}`, { body });
}

async function digest() {
  const merged = await pages(`/repository/commits/${CI_COMMIT_SHA}/merge_requests`);
  const made = merged.filter(({ state, merge_commit_sha, squash_commit_sha, sha }) => {
    return state === 'merged' && [merge_commit_sha, squash_commit_sha, sha].includes(CI_COMMIT_SHA);
  });
  if (made.length !== 1) throw new Error(`${made.length} merge requests were merged as ${CI_COMMIT_SHA}`);
  const [{ iid }] = made;
  const [only, ...others] = new Set((await ownNotes(iid)).map(({ body }) => HEADER.exec(body)?.[1] ?? '-'));
  if (only === undefined || only === '-' || others.length > 0) {
    throw new Error(`merge request ${iid} has no note with one plan: nobody reviewed what would be applied`);
  }
  return only;
}

async function ownNotes(iid) {
  const me = await ask('GET', `${CI_API_V4_URL}/user`);
  const notes = await pages(`/merge_requests/${iid}/notes`);
  return notes.filter(({ author, body }) => author.id === me.body.id && body.startsWith(OURS));
}

async function pages(path) {
  const items = [];
  for (let page = '1'; page !== ''; ) {
    const { body, next } = await ask('GET', `${path}?per_page=100&page=${page}`);
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
