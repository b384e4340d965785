import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards } from '../support/cleanup.ts';

export type HostName = 'github' | 'gitea' | 'gitlab';
export const HOSTS: readonly HostName[] = ['github', 'gitea', 'gitlab'];

/**
 * As much of the API of a forge as tradeform speaks, on loopback and with a memory: answers have the shapes of the host's own
 * documentation (GitHub: REST API version 2022-11-28 and GraphQL; GitLab: REST API v4). One repository with a history.
 */
export interface FakeHost {
  readonly name: HostName;
  /** What the CI of this host tells a job: where the forge is, and with which token. */
  readonly env: Readonly<Record<string, string>>;
  comments: Comment[];
  issues: Issue[];
  pulls: Pull[];
  /** What was applied: commit statuses, or deployments, whose environment is the context. */
  statuses: Status[];
  /** The commit of a branch. */
  head: (branch: string) => string;
  /** The newest commit of an open pull request. */
  pullHead: (number: number) => string;
  /** `METHOD path` of every request, in order. */
  requests: string[];
  /** Answers to come, instead of the real ones, for requests that match. */
  faults: Fault[];
  /** Of Gitea, by their numbers. */
  labels: string[];
  /** Of each pull request, names. */
  pullLabels: Map<number, readonly string[]>;
  /** What the token may do; without it the answer is 403. */
  permissions: Set<Permission>;
  comment(login: string, body: string, pull?: number): Comment;
  reset(): void;
  close(): Promise<void>;
}

type Permission = 'comments' | 'issues' | 'statuses' | 'labels';

export interface Status {
  readonly sha: string;
  readonly login: string;
  readonly context: string;
  readonly state: string;
  readonly description?: string;
}

export interface Comment {
  readonly id: number;
  readonly pull: number;
  readonly login: string;
  body: string;
  /** Before all merges, unless something else is said. */
  updated?: string;
}

export interface Issue {
  readonly number: number;
  readonly login: string;
  readonly labels: readonly string[];
  title: string;
  body: string;
  /** `open` or `closed`. */
  state: string;
}

export interface Pull {
  readonly number: number;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string;
  /** Commits that the host lists it for; its merge commit without it. */
  readonly commits?: readonly string[];
  readonly repository?: string;
  /** The branch that it was merged into. */
  readonly into?: string;
}

export interface Fault {
  readonly on: RegExp;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Instead of an error with a message. */
  readonly value?: unknown;
  /** Carried out all the same. */
  readonly done?: boolean;
  /** No answer at all. */
  readonly lost?: boolean;
}

export const REPOSITORY = 'desk/tasks';
/** The account of the token. */
export const BOT = 'github-actions[bot]';
/** Searched for in everything that is written. */
export const FORGE_TOKEN = 'ghs_CanaryOfTheWorkflow0123456789abcdef';
/** Of a job of GitLab, which has deployments alone. */
const JOB_TOKEN = 'glcbt-CanaryOfTheJob';
/** Smaller than that of the hosts, so that two pages are soon filled. */
const PAGE = 10;

export async function startHost(name: HostName): Promise<FakeHost> {
  const world = new World(name);
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => world.answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  world.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  world.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  afterwards(world.close);
  return world;
}

interface Result {
  readonly status: number;
  readonly value?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Body = Readonly<Record<string, unknown>>;

/** `id`: the last number, hash or name in the path. */
type Handler = (world: World, id: string, body: Body, url: URL) => Result;

const API = { github: '/api/v3', gitea: '/api/v1', gitlab: '/api/v4' } as const;
const NOT_FOUND: Result = { status: 404, value: { message: 'Not Found' } };

class World implements FakeHost {
  readonly name: HostName;
  origin = '';
  comments: Comment[] = [];
  issues: Issue[] = [];
  pulls: Pull[] = [];
  statuses: Status[] = [];
  /** Of Gitea, by their numbers. */
  labels: string[] = [];
  /** Of each pull request. */
  pullLabels = new Map<number, readonly string[]>();
  head = (_branch: string) => 'a'.repeat(40);
  pullHead = (_number: number) => 'b'.repeat(40);
  requests: string[] = [];
  faults: Fault[] = [];
  permissions: FakeHost['permissions'] = new Set();
  close: () => Promise<void> = () => Promise.resolve();
  #next = 1;

  constructor(name: HostName) {
    this.name = name;
    this.reset();
  }

  get env(): Readonly<Record<string, string>> {
    const { origin } = this;
    return this.name !== 'gitlab'
      ? {
          GITHUB_ACTIONS: 'true',
          GITHUB_API_URL: `${origin}${API[this.name]}`,
          GITHUB_GRAPHQL_URL: this.name === 'gitea' ? '' : `${origin}/api/graphql`,
          GITHUB_SERVER_URL: origin,
          GITHUB_REPOSITORY: REPOSITORY,
          GITHUB_TOKEN: FORGE_TOKEN,
        }
      : {
          CI_API_V4_URL: `${origin}${API.gitlab}`,
          CI_PROJECT_ID: '42',
          CI_PROJECT_URL: `${origin}/${REPOSITORY}`,
          CI_JOB_TOKEN: JOB_TOKEN,
          TRADEFORM_GITLAB_TOKEN: FORGE_TOKEN,
        };
  }

  reset(): void {
    Object.assign(this, { comments: [], issues: [], pulls: [], statuses: [], requests: [], faults: [] });
    this.permissions = new Set(['comments', 'issues', 'statuses', 'labels']);
    this.pullLabels = new Map();
  }

  labelsOf(pull: number): readonly string[] {
    return this.pullLabels.get(pull) ?? [];
  }

  number(): number {
    this.#next += 1;
    return this.#next;
  }

  comment(login: string, body: string, pull = 7): Comment {
    const comment = { id: this.number(), pull, login, body };
    this.comments.push(comment);
    return comment;
  }

  answer({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse, text: string): void {
    const line = `${method} ${url.replace(API[this.name], '')}`;
    this.requests.push(line);
    const send = ({ status, value, headers: more = {} }: Result) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more });
      response.end(value === undefined ? '' : JSON.stringify(value));
    };
    const isOurs =
      this.name !== 'gitlab'
        ? headers.authorization === `Bearer ${FORGE_TOKEN}`
        : headers['private-token'] === FORGE_TOKEN ||
          (headers['job-token'] === JOB_TOKEN && / \/projects\/42\/deployments\b/.test(line));
    const index = this.faults.findIndex(({ on }) => on.test(line));
    const [fault] = index < 0 || !isOurs ? [] : this.faults.splice(index, 1);
    const act = () => this.route(line, text === '' ? {} : (JSON.parse(text) as Body));
    if (fault?.done === true) act();
    if (!isOurs) send({ status: 401, value: { message: 'Bad credentials' } });
    else if (fault?.lost === true) response.destroy();
    else if (fault?.status === undefined) send(act());
    else {
      const { status, value = { message: fault.message ?? 'Server Error' }, headers: more = {} } = fault;
      send({ status, value, headers: more });
    }
  }

  private route(line: string, body: Body): Result {
    const url = new URL(line.split(' ')[1] ?? '', 'http://x');
    for (const [pattern, handle] of ROUTES[this.name]) {
      const match = pattern.exec(`${line.split(' ')[0]} ${url.pathname}`);
      if (match !== null) return handle(this, match.slice(1).at(-1) ?? '', body, url);
    }
    return NOT_FOUND;
  }

  /** One page, and where the next one is. */
  page(url: URL, items: readonly unknown[]): Result {
    const page = Number(url.searchParams.get('page') ?? '1');
    const value = items.slice((page - 1) * PAGE, page * PAGE);
    const isLast = page * PAGE >= items.length;
    if (this.name === 'gitlab')
      return { status: 200, value, headers: { 'x-next-page': isLast ? '' : String(page + 1) } };
    if (isLast) return { status: 200, value };
    // As a server that is known by another name within.
    const next = new URL(`http://forge.invalid${API[this.name]}${url.pathname}${url.search}`);
    next.searchParams.set('page', String(page + 1));
    const link = `<${next.href}>; rel="next", <${next.href}>; rel="last"`;
    return { status: 200, value, headers: { link } };
  }

  needs(permission: Permission, act: () => Result): Result {
    if (this.permissions.has(permission)) return act();
    return { status: 403, value: { message: 'Resource not accessible by integration' } };
  }

  commentJson({ id, pull, login, body, updated = '2026-11-21T08:00:00Z' }: Comment) {
    const told = { id, body, updated_at: updated, ...by(login) };
    return this.name !== 'gitlab'
      ? { ...told, html_url: this.urlOf(`pull/${pull}#issuecomment-${id}`) }
      : { ...told, system: false, noteable_type: 'MergeRequest', noteable_iid: pull };
  }

  issueJson({ number, login, labels, title, body, state }: Issue) {
    return this.name !== 'gitlab'
      ? {
          ...{ id: number * 1000, number, html_url: this.urlOf(`issues/${number}`), title, body, state },
          ...{ labels: labels.map((name) => ({ id: 1, name })), ...by(login) },
        }
      : {
          ...{ id: number * 1000, iid: number, title, description: body, labels, ...by(login) },
          state: state === 'open' ? 'opened' : 'closed',
        };
  }

  pullJson({ number, merged_at, merge_commit_sha: commit, repository = REPOSITORY, into = 'main' }: Pull) {
    const isOpen = merged_at === null;
    return this.name !== 'gitlab'
      ? {
          ...{ id: number * 1000, number, state: isOpen ? 'open' : 'closed', merged_at },
          ...{ merge_commit_sha: commit, ...by('mira') },
          head: { ref: 'change', sha: this.pullHead(number), repo: { full_name: repository } },
          base: { ref: into, sha: 'c'.repeat(40), repo: { full_name: repository } },
        }
      : {
          ...{ id: number * 1000, iid: number, state: isOpen ? 'opened' : 'merged', target_branch: into },
          // By turns: a squash, and a merge commit.
          merge_commit_sha: number % 2 === 0 ? commit : null,
          squash_commit_sha: number % 2 === 0 ? null : commit,
          ...{ sha: this.pullHead(number), merged_at },
        };
  }

  private urlOf(path: string): string {
    return `${this.origin}/${REPOSITORY}/${path}`;
  }
}

/** Who wrote something, as both hosts say it. */
function by(login: string) {
  const [id, type] = login.endsWith('[bot]') ? [4, 'Bot'] : [583231, 'User'];
  return { user: { login, id, type }, author: { id, username: login } };
}

const comments: Handler = (world, pull, _body, url) => {
  const found = world.comments.filter((one) => one.pull === Number(pull));
  return world.page(
    url,
    found.map((one) => world.commentJson(one)),
  );
};
const addComment: Handler = (world, pull, { body }) =>
  world.needs('comments', () => {
    const made = world.comment(BOT, String(body), Number(pull));
    return { status: 201, value: world.commentJson(made) };
  });
const editComment: Handler = (world, id, { body }) =>
  world.needs('comments', () => {
    const found = world.comments.find((one) => one.id === Number(id));
    if (found === undefined) return NOT_FOUND;
    found.body = String(body);
    return { status: 200, value: world.commentJson(found) };
  });
const removeComment: Handler = (world, id) =>
  world.needs('comments', () => {
    world.comments = world.comments.filter((one) => one.id !== Number(id));
    return { status: 204 };
  });
const issues: Handler = (world, _id, _body, url) => {
  const label = url.searchParams.get('labels') ?? '';
  const found = world.issues.filter(({ labels }) => labels.includes(label)).toReversed();
  return world.page(
    url,
    found.map((one) => world.issueJson(one)),
  );
};
const addIssue: Handler = (world, _id, { title, body, description = body, labels }) =>
  world.needs('issues', () => {
    const made: Issue = {
      ...{ number: world.number(), login: BOT, title: String(title), body: String(description) },
      labels: labelsOf(world, labels),
      state: 'open',
    };
    world.issues.push(made);
    return { status: 201, value: world.issueJson(made) };
  });
function labelsOf({ name, labels: known }: World, labels: unknown): string[] {
  if (name === 'gitlab') return String(labels).split(',');
  return (labels as (string | number)[]).map((one) =>
    name === 'gitea' ? (known[Number(one)] ?? '') : String(one),
  );
}
const pullLabels: Handler = (world, pull, _body, url) =>
  world.page(
    url,
    world.labelsOf(Number(pull)).map((name) => ({ id: world.labels.indexOf(name), name })),
  );
const addPullLabels: Handler = (world, pull, { labels }) =>
  world.needs('labels', () => {
    const all = new Set([...world.labelsOf(Number(pull)), ...labelsOf(world, labels)]);
    world.pullLabels.set(Number(pull), [...all]);
    return { status: 200, value: [] };
  });
/** By its name, or on Gitea by its number. */
const removePullLabel: Handler = (world, label, _body, url) =>
  world.needs('labels', () => {
    const pull = Number(/\/issues\/(\d+)\//.exec(url.pathname)?.[1]);
    const name = world.name === 'gitea' ? world.labels[Number(label)] : decodeURIComponent(label);
    const before = world.labelsOf(pull);
    if (name === undefined || !before.includes(name)) return NOT_FOUND;
    world.pullLabels.set(
      pull,
      before.filter((one) => one !== name),
    );
    return { status: 204 };
  });
const putMergeRequest: Handler = (world, id, { add_labels: add, remove_labels: remove }) =>
  world.needs('labels', () => {
    const named = (list: unknown) =>
      String(list)
        .split(',')
        .filter((one) => one !== '');
    const all = new Set([...world.labelsOf(Number(id)), ...named(add)]);
    for (const one of named(remove)) all.delete(one);
    world.pullLabels.set(Number(id), [...all]);
    return { status: 200, value: {} };
  });
const labels: Handler = (world, _id, _body, url) =>
  world.page(
    url,
    world.labels.map((name, id) => ({ id, name })),
  );
const addLabel: Handler = (world, _id, { name }) =>
  world.needs('issues', () => ({ status: 201, value: { id: world.labels.push(String(name)) - 1, name } }));
const editIssue: Handler = (world, number, { title, body, description = body, state, state_event: event }) =>
  world.needs('issues', () => {
    const found = world.issues.find((one) => one.number === Number(number));
    if (found === undefined) return NOT_FOUND;
    const became = state ?? (event === 'close' ? 'closed' : 'open');
    Object.assign(found, { title, body: description, state: became });
    return { status: 200, value: world.issueJson(found) };
  });
const branch: Handler = (world, name) => {
  const sha = world.head(decodeURIComponent(name));
  return { status: 200, value: { name, commit: { sha, id: sha } } };
};
const mergedAs: Handler = (world, sha, _body, url) => {
  const found = world.pulls.filter(({ commits, merge_commit_sha: own }) => (commits ?? [own]).includes(sha));
  return world.page(
    url,
    found.map((one) => world.pullJson(one)),
  );
};
const pull: Handler = (world, id) => {
  const [number, open] = [Number(id), { merged_at: null, merge_commit_sha: '' }];
  const found = world.pulls.find((one) => one.number === number) ?? { number, ...open };
  return { status: 200, value: world.pullJson(found) };
};
/** Those of a rebase, whose last one is that of the merge. */
const pullCommits: Handler = (world, id) => {
  const { commits = [] } = world.pulls.find(({ number }) => number === Number(id)) ?? {};
  return { status: 200, value: commits.map((sha) => ({ sha })) };
};
const statuses: Handler = (world, sha, _body, url) => {
  const found = world.statuses.filter((status) => status.sha === sha).toReversed();
  return world.page(
    url,
    // By number, which says which is the newest; Gitea has them in the order of whole seconds.
    found.map(({ login, ...status }, index) => ({
      ...{ ...status, id: found.length - index, creator: by(login).user },
    })),
  );
};
/** With the status under the name that Gitea has for it, and the oldest first, as where all were written in one second. */
const giteaStatuses: Handler = (world, sha, body, url) => {
  const { value, ...rest } = statuses(world, sha, body, url);
  const named = (value as { state: string }[]).map(({ state, ...more }) => ({ ...more, status: state }));
  return { ...rest, value: named.toReversed() };
};
const addStatus: Handler = (world, sha, { context, state, description }) =>
  world.needs('statuses', () => {
    const status = { context: String(context), state: String(state), description: String(description) };
    world.statuses.push({ sha, login: BOT, ...status });
    return { status: 201, value: { ...status, creator: by(BOT).user } };
  });
const addDeployment: Handler = (world, _id, { environment, sha, ref, status }) => {
  if (ref !== 'main') return { status: 400, value: { message: 'The branch or tag does not exist' } };
  world.statuses.push({ sha: String(sha), login: BOT, context: String(environment), state: String(status) });
  return { status: 201, value: { sha, status } };
};
const deployments: Handler = (world, _id, _body, url) => {
  const [environment, state] = [url.searchParams.get('environment'), url.searchParams.get('status')];
  const made = world.statuses.filter((one) => one.context === environment && one.state === state);
  return world.page(
    url,
    made.toReversed().map(({ sha }) => ({ sha, status: state })),
  );
};

/** `@` stands for the repository, `N` for a number, `SHA` for a commit, `NAME` for a branch. */
function routes(
  at: string,
  table: Readonly<Record<string, Handler>>,
): readonly (readonly [RegExp, Handler])[] {
  return Object.entries(table).map(([path, handle]) => {
    const pattern = path
      .replace('@', at)
      .replaceAll('NAME', '([\\w%.-]+)')
      .replaceAll('SHA', '([0-9a-f]+)')
      .replaceAll(/\bN\b/g, '(\\d+)');
    return [new RegExp(`^${pattern}$`), handle];
  });
}

/** Routes of GitHub that Gitea has as well. */
const SHARED = {
  'GET @/issues/N/comments': comments,
  'POST @/issues/N/comments': addComment,
  'PATCH @/issues/comments/N': editComment,
  'DELETE @/issues/comments/N': removeComment,
  'GET @/issues': issues,
  'POST @/issues': addIssue,
  'PATCH @/issues/N': editIssue,
  'GET @/issues/N/labels': pullLabels,
  'POST @/issues/N/labels': addPullLabels,
  'DELETE @/issues/N/labels/NAME': removePullLabel,
  'GET @/branches/NAME': branch,
  'POST @/statuses/SHA': addStatus,
  'GET @/pulls/N': pull,
  'GET @/pulls/N/commits': pullCommits,
  'GET @/pulls': (world, _id, _body, url) =>
    world.page(
      url,
      world.pulls.toReversed().map((one) => world.pullJson(one)),
    ),
} satisfies Readonly<Record<string, Handler>>;

const ROUTES = {
  github: routes('/repos/desk/tasks', {
    ...SHARED,
    'POST /api/graphql': () => ({ status: 200, value: { data: { viewer: { login: BOT } } } }),
    'GET @/commits/SHA/statuses': statuses,
    'GET @/commits/SHA/pulls': mergedAs,
  }),
  gitea: routes('/repos/desk/tasks', {
    ...SHARED,
    'GET /user': () => ({ status: 200, value: by(BOT).user }),
    'GET @/commits/SHA/statuses': giteaStatuses,
    'GET @/labels': labels,
    'POST @/labels': addLabel,
  }),
  gitlab: routes('/projects/42', {
    'GET /user': () => ({ status: 200, value: by(BOT).author }),
    'GET @/merge_requests/N/notes': comments,
    'POST @/merge_requests/N/notes': addComment,
    'PUT @/merge_requests/N/notes/N': editComment,
    'DELETE @/merge_requests/N/notes/N': removeComment,
    'GET @/issues': issues,
    'POST @/issues': addIssue,
    'PUT @/issues/N': editIssue,
    'GET @/merge_requests/N': pull,
    'PUT @/merge_requests/N': putMergeRequest,
    'GET @/repository/branches/NAME': branch,
    'GET @/repository/commits/SHA/merge_requests': mergedAs,
    'GET @/deployments': deployments,
    'POST @/deployments': addDeployment,
  }),
} as const;

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
