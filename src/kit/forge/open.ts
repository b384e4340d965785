import { SYSTEM_CLOCK, SYSTEM_RANDOM } from '../../core/command/clock.ts';
import { type CiEnv, type ForgeName, forgeError, hostOf, repositoryIn } from '../../core/command/event.ts';
import { proxyIn } from '../../core/command/proxy.ts';
import { VERSION } from '../../core/command/version.ts';
import { CommandFailure, usage } from '../../core/diagnostics/diagnostic.ts';
import { valueAt } from '../../core/model/json.ts';
import { type Forge, type Merged, ownTexts } from './forge.ts';
import { openRest, type Rest, type Surroundings } from './rest.ts';

/** Runs the work with the forge of this job, see {@link openForge}, and closes the forge afterwards. */
export async function usingForge<Result>(
  env: CiEnv,
  masking: Surroundings['masking'],
  work: (forge: Forge) => Promise<Result>,
  job = false,
): Promise<Result> {
  const forge = openForge(env, { masking, clock: SYSTEM_CLOCK, random: SYSTEM_RANDOM }, job);
  try {
    return await work(forge);
  } finally {
    await forge.close();
  }
}

/**
 * The forge whose job this is, with the token that CI gives for it; `job`: on GitLab with the token of the job itself, which only
 * has deployments. The CI's own variables alone decide where a token goes. Fails (exit 3) without a token.
 */
export function openForge(env: CiEnv, around: Surroundings, job = false): Forge {
  const [variable, open] = FORGES[hostOf(env)];
  const name = job ? 'CI_JOB_TOKEN' : variable;
  const token = env[name]?.trim() ?? '';
  if (!/^[!-~]+$/.test(token))
    throw usage(`${name} is empty or not a token`, 'Comments, issues and what was reviewed need it.');
  around.masking.learnToken(token);
  return open(env, token, { ...around, proxy: proxyIn(env) }, job);
}

type Open = (env: CiEnv, token: string, around: Surroundings, job: boolean) => Forge;

/** The variable with the token that goes to a forge, and to no other one. */
const FORGES: Readonly<Record<ForgeName, readonly [variable: string, open: Open]>> = {
  github: ['GITHUB_TOKEN', openGitHub],
  gitea: ['GITHUB_TOKEN', openGitHub],
  gitlab: ['TRADEFORM_GITLAB_TOKEN', openGitLab],
};

async function headIn(rest: Rest, branches: string, branch: string, key: string): Promise<string> {
  const sha = valueAt(await rest.send('GET', `${branches}/${encodeURIComponent(branch)}`), 'commit', key);
  if (typeof sha === 'string') return sha;
  throw forgeError(`the forge does not say which commit is the head of ${branch}`);
}

/** The description of a status, if an earlier commit was applied. */
const ROLLED_BACK = /^Rolled back to ([0-9a-f]{40,64})$/;

/** The GitHub REST API, version 2022-11-28, and that of Gitea, version 1, where they are the same. */
function openGitHub(env: CiEnv, token: string, around: Surroundings): Forge {
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${token}`,
    'user-agent': `tradeform/${VERSION}`,
    'x-github-api-version': '2022-11-28',
  };
  const isGitHub = hostOf(env) === 'github';
  const repository = repositoryIn(env) ?? '';
  const baseUrl = (env.GITHUB_API_URL ?? 'https://api.github.com').replace(/\/+$/, '');
  const name = isGitHub ? 'GitHub' : 'Gitea';
  const to = { ...around, name, headers, rights: isGitHub ? GITHUB_RIGHTS : GITEA_RIGHTS };
  const rest = openRest({ ...to, baseUrl });
  // Only GraphQL tells the login of an app's token. Gitea has none.
  const graphql = openRest({ ...to, baseUrl: env.GITHUB_GRAPHQL_URL || `${baseUrl}/graphql` });
  const at = `/repos/${repository}`;
  const whole = isGitHub ? 'per_page=100' : 'limit=50';
  let login: unknown;
  /** `github-actions[bot]` for the token of a workflow. */
  const viewer = async () => {
    const query = { query: 'query { viewer { login } }' };
    login ??= isGitHub
      ? valueAt(await graphql.send('POST', '', query, true), 'data', 'viewer', 'login')
      : ownLogin(await rest.send('GET', '/user'));
    if (typeof login !== 'string' || login === '')
      throw forgeError(`${name} does not say who owns GITHUB_TOKEN, so comments cannot be told apart`);
    return login;
  };
  const urlOf = (entry: unknown) => String(valueAt(entry, 'html_url'));
  const own = async (path: string) => {
    const [me, entries] = await Promise.all([viewer(), rest.list(path)]);
    // A list of issues contains pull requests.
    const isOwn = (entry: unknown) =>
      valueAt(entry, 'user', 'login') === me && valueAt(entry, 'pull_request') == null;
    return ownTexts(entries, isOwn, urlOf);
  };
  /** The number of a label, which Gitea wants. Made if it is missing. */
  const labelOf = async (label: string) => {
    const labels = await rest.list(`${at}/labels?${whole}`);
    const found = labels.find((one) => valueAt(one, 'name') === label);
    const made = found ?? (await rest.send('POST', `${at}/labels`, { name: label, color: '#d93f0b' }));
    return valueAt(made, 'id');
  };
  const mergedInto = (pulls: readonly unknown[], branch: string) =>
    pulls.flatMap((entry) => {
      const [pull, at] = [valueAt(entry, 'number'), valueAt(entry, 'merged_at')];
      const base = (...keys: string[]) => valueAt(entry, 'base', ...keys);
      const here = base('repo', 'full_name') === repository && base('ref') === branch;
      const commit = String(valueAt(entry, 'merge_commit_sha'));
      return here && typeof pull === 'number' && typeof at === 'string' ? [{ pull, commit, at }] : [];
    });

  return {
    head: (branch) => headIn(rest, `${at}/branches`, branch, isGitHub ? 'sha' : 'id'),
    async request(pull) {
      const found = await rest.send('GET', `${at}/pulls/${pull}`);
      return { open: valueAt(found, 'state') === 'open', head: String(valueAt(found, 'head', 'sha')) };
    },
    comments: (pull) => own(`${at}/issues/${pull}/comments?${whole}`),
    async putComment(pull, body, id) {
      if (id === undefined) return urlOf(await rest.send('POST', `${at}/issues/${pull}/comments`, { body }));
      return urlOf(await rest.send('PATCH', `${at}/issues/comments/${id}`, { body }));
    },
    async deleteComment(_pull, id) {
      await rest.send('DELETE', `${at}/issues/comments/${id}`);
    },
    async setLabels(pull, all, held) {
      const there = `${at}/issues/${pull}/labels`;
      const present = await rest.list(`${there}?${whole}`);
      const named = (name: string) => (one: unknown) =>
        String(valueAt(one, 'name')).toLowerCase() === name.toLowerCase();
      try {
        const labels: unknown[] = [];
        for (const label of held.filter((one) => !present.some(named(one))))
          labels.push(isGitHub ? label : await labelOf(label));
        if (labels.length > 0) await rest.send('POST', there, { labels }, true);
      } finally {
        // What is wrong goes even if what is right cannot be set.
        const wrong = all.filter((one) => !held.includes(one)).flatMap((one) => present.filter(named(one)));
        for (const one of wrong.map((label) => String(valueAt(label, isGitHub ? 'name' : 'id'))))
          await rest.send('DELETE', `${there}/${encodeURIComponent(one)}`);
      }
    },
    issues(label) {
      const newest = `state=all&sort=created&direction=desc&${whole}`;
      return own(`${at}/issues?labels=${encodeURIComponent(label)}&${newest}`);
    },
    async putIssue({ title, body, label, open }, id) {
      if (id === undefined) {
        const labels = [isGitHub ? label : await labelOf(label)];
        return urlOf(await rest.send('POST', `${at}/issues`, { title, body, labels }));
      }
      const state = open ? { state: 'open' } : { state: 'closed', state_reason: 'completed' };
      return urlOf(await rest.send('PATCH', `${at}/issues/${id}`, { title, body, ...state }));
    },
    async merged(commits, branch) {
      const of = encodeURIComponent(branch);
      // Gitea sorts by other words.
      const recent = isGitHub
        ? `base=${of}&sort=updated&direction=desc&${whole}`
        : `base_branch=${of}&sort=recentupdate&${whole}`;
      const closed = await rest.list(`${at}/pulls?state=closed&${recent}`, isGitHub ? 1 : 4);
      const found = mergedInto(closed, branch).filter(({ commit }) => commits.includes(commit));
      // A pull request names the last commit of a rebase alone. Gitea has no list that finds the others.
      const others = commits.filter((one) => !found.some(({ commit }) => commit === one));
      const more: Merged[] = [];
      if (isGitHub)
        for (const commit of others) {
          const of = mergedInto(await rest.list(`${at}/commits/${commit}/pulls?${whole}`), branch);
          more.push(...of.filter((one) => commits.includes(one.commit)).map((one) => ({ ...one, commit })));
        }
      else if (others.length > 0)
        for (const one of found)
          for (const entry of await rest.list(`${at}/pulls/${one.pull}/commits?${whole}`))
            more.push({ ...one, commit: String(valueAt(entry, 'sha')) });
      const all = [...found, ...more.filter(({ commit }) => others.includes(commit))];
      return all.sort((a, b) => commits.indexOf(a.commit) - commits.indexOf(b.commit));
    },
    // Who can write to the repository can write a status, so only those of this token’s login count.
    async lastApplied(commits, context) {
      const me = await viewer();
      for (const [index, commit] of commits.entries()) {
        // Only successes count, so no other status takes one away.
        const [last] = (await rest.list(`${at}/commits/${commit}/statuses?${whole}`))
          .filter(
            (one) =>
              valueAt(one, 'context') === context &&
              valueAt(one, isGitHub ? 'state' : 'status') === 'success' &&
              valueAt(one, 'creator', 'login') === me,
          )
          .sort((one, other) => Number(valueAt(other, 'id')) - Number(valueAt(one, 'id')));
        const rolledBack = ROLLED_BACK.exec(String(valueAt(last, 'description')))?.[1];
        if (last !== undefined) return { index, commit: rolledBack ?? commit };
      }
      return undefined;
    },
    async recordApplied({ sha, runUrl }, applied, context) {
      const description = sha === applied ? 'Applied whole' : `Rolled back to ${applied}`;
      const status = { state: 'success', context, description, target_url: runUrl };
      await rest.send('POST', `${at}/statuses/${sha}`, status);
    },
    async close() {
      await Promise.all([rest.close(), graphql.close()]);
    },
  };
}

const GITHUB_RIGHTS =
  'Check `permissions:` of the job: comments need pull-requests: write and statuses: read, labels that are missing and drift need issues: write, apply needs statuses: write and at least pull-requests: read.';

const GITEA_RIGHTS =
  'Check GITHUB_TOKEN: the access token of a bot, who can write to the repository, with read:user and write:issue, for apply also write:repository.';

/** Every job of a Gitea acts as one and the same user, who has a negative number: a stranger's job can write what that user wrote. */
function ownLogin(user: unknown): unknown {
  const [id, login] = [valueAt(user, 'id'), valueAt(user, 'login')];
  if (typeof id !== 'number' || id > 0) return typeof id === 'number' ? login : undefined;
  throw CommandFailure.of(
    4,
    'shared-login',
    `GITHUB_TOKEN is of ${String(login)}, as whom the jobs of all repositories of this Gitea act`,
    'Give GITHUB_TOKEN the access token of a bot of your own.',
  );
}

/** The GitLab REST API, version 4, with a project access token, or with the token of the job, which only reads deployments. */
function openGitLab(env: CiEnv, token: string, around: Surroundings, job: boolean): Forge {
  const headers = { [job ? 'job-token' : 'private-token']: token };
  const { CI_API_V4_URL: baseUrl = '', CI_PROJECT_ID: project = '', CI_PROJECT_URL: url = '' } = env;
  const rest = openRest({ ...around, name: 'GitLab', baseUrl, headers, rights: GITLAB_RIGHTS });
  const at = `/projects/${project}`;
  let viewer: unknown;
  const own = async (path: string, urlOf: (entry: unknown) => string) => {
    viewer ??= valueAt(await rest.send('GET', '/user'), 'id');
    if (typeof viewer !== 'number') throw forgeError('GitLab does not say whose the token is');
    const isOwn = (entry: unknown) => valueAt(entry, 'author', 'id') === viewer;
    return ownTexts(await rest.list(path), isOwn, urlOf);
  };
  const notes = (pull: number) => `${at}/merge_requests/${pull}/notes`;
  const noteUrl = (pull: number) => (note: unknown) =>
    `${url}/-/merge_requests/${pull}#note_${valueAt(note, 'id')}`;
  const issueUrl = (issue: unknown) => `${url}/-/issues/${valueAt(issue, 'iid')}`;

  return {
    head: (branch) => headIn(rest, `${at}/repository/branches`, branch, 'id'),
    async request(pull) {
      const found = await rest.send('GET', `${at}/merge_requests/${pull}`);
      return { open: valueAt(found, 'state') === 'opened', head: String(valueAt(found, 'sha')) };
    },
    comments: (pull) => own(`${notes(pull)}?per_page=100`, noteUrl(pull)),
    async putComment(pull, body, id) {
      if (id === undefined) return noteUrl(pull)(await rest.send('POST', notes(pull), { body }));
      return noteUrl(pull)(await rest.send('PUT', `${notes(pull)}/${id}`, { body }));
    },
    async deleteComment(pull, id) {
      await rest.send('DELETE', `${notes(pull)}/${id}`);
    },
    async setLabels(pull, all, held) {
      const others = all.filter((one) => !held.includes(one));
      const labels = { add_labels: held.join(','), remove_labels: others.join(',') };
      await rest.send('PUT', `${at}/merge_requests/${pull}`, labels);
    },
    issues(label) {
      const newest = 'order_by=created_at&sort=desc&per_page=100';
      return own(`${at}/issues?labels=${encodeURIComponent(label)}&${newest}`, issueUrl);
    },
    async putIssue({ title, body: description, label: labels, open }, id) {
      if (id === undefined)
        return issueUrl(await rest.send('POST', `${at}/issues`, { title, description, labels }));
      const state_event = open ? 'reopen' : 'close';
      return issueUrl(await rest.send('PUT', `${at}/issues/${id}`, { title, description, state_event }));
    },
    async merged(commits, branch) {
      const found: Merged[] = [];
      for (const commit of commits) {
        const path = `${at}/repository/commits/${commit}/merge_requests?per_page=100`;
        for (const entry of await rest.list(path)) {
          const made = ['merge_commit_sha', 'squash_commit_sha', 'sha'].map((key) => valueAt(entry, key));
          const pull = valueAt(entry, 'iid');
          const here = valueAt(entry, 'state') === 'merged' && valueAt(entry, 'target_branch') === branch;
          if (here && typeof pull === 'number' && commits.some((one) => made.includes(one)))
            found.push({ pull, commit, at: String(valueAt(entry, 'merged_at')) });
        }
      }
      return found;
    },
    // GitLab keeps a deployment for each job that succeeded in an environment.
    async lastApplied(commits, environment) {
      const made = `environment=${encodeURIComponent(environment)}&status=success`;
      const newest = await rest.list(`${at}/deployments?${made}&order_by=id&sort=desc&per_page=100`, 1);
      const whole = newest.map((deployment) => String(valueAt(deployment, 'sha')));
      const index = commits.findIndex((commit) => whole.includes(commit));
      const commit = whole.find((one) => commits.includes(one));
      return commit === undefined ? undefined : { index, commit };
    },
    // The deployment of the job itself is older, and of the newest commit.
    async recordApplied({ branch: ref }, sha, environment) {
      await rest.send('POST', `${at}/deployments`, { environment, sha, ref, tag: false, status: 'success' });
    },
    close: () => rest.close(),
  };
}

const GITLAB_RIGHTS =
  'Check TRADEFORM_GITLAB_TOKEN: a project access token of the role Reporter (for labels, Developer), with the scope api.';
