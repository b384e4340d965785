import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * As much of the GitHub REST and GraphQL API as the action speaks, on loopback and with a memory: answers have the shapes
 * of GitHub's own documentation (REST API version 2022-11-28).
 */
export interface FakeGitHub {
  readonly env: Readonly<Record<string, string>>;
  readonly comments: Comment[];
  readonly issues: Issue[];
  readonly pulls: Pull[];
  readonly statuses: Status[];
  /** The commit of a branch. */
  head: (branch: string) => string;
  /** `METHOD path` of every request, in order. */
  readonly requests: string[];
  /** Answers to come, instead of the real ones, for requests that match. */
  readonly faults: Fault[];
  /** What the token may do; without it the answer is 403. */
  readonly permissions: Set<Permission>;
  comment(login: string, body: string, pull?: number): Comment;
  reset(): void;
  close(): Promise<void>;
}

type Permission = 'pull-requests: write' | 'issues: write' | 'statuses: write';

/** Of a commit. */
export interface Status {
  readonly sha: string;
  readonly login: string;
  readonly context: string;
  readonly state: string;
}

export interface Comment {
  readonly id: number;
  readonly pull: number;
  readonly login: string;
  body: string;
}

export interface Issue {
  readonly number: number;
  readonly login: string;
  readonly labels: string[];
  title: string;
  body: string;
  state: string;
  state_reason: string | null;
}

export interface Pull {
  readonly number: number;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string;
  /** Commits that GitHub lists it for; its merge commit without it. */
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
export const BOT = 'github-actions[bot]';
/** Searched for in everything that is written. */
export const GITHUB_TOKEN = 'ghs_CanaryOfTheWorkflow0123456789abcdef';
const API = '/api/v3';
/** Smaller than GitHub's, so that two pages are soon filled. */
const PAGE = 10;

export async function startGitHub(): Promise<FakeGitHub> {
  const world = new World();
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
  return world;
}

class World implements FakeGitHub {
  origin = '';
  comments: Comment[] = [];
  issues: Issue[] = [];
  pulls: Pull[] = [];
  statuses: Status[] = [];
  head = (_branch: string) => 'a'.repeat(40);
  requests: string[] = [];
  faults: Fault[] = [];
  permissions: FakeGitHub['permissions'] = new Set();
  close: () => Promise<void> = () => Promise.resolve();
  #next = 1;

  constructor() {
    this.reset();
  }

  get env() {
    return {
      GITHUB_API_URL: `${this.origin}${API}`,
      GITHUB_GRAPHQL_URL: `${this.origin}/api/graphql`,
      GITHUB_SERVER_URL: this.origin,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_TOKEN,
    };
  }

  reset(): void {
    Object.assign(this, { comments: [], issues: [], pulls: [], statuses: [], requests: [], faults: [] });
    this.permissions = new Set(['pull-requests: write', 'issues: write', 'statuses: write']);
  }

  comment(login: string, body: string, pull = 7): Comment {
    this.#next += 1;
    const comment = { id: this.#next, pull, login, body };
    this.comments.push(comment);
    return comment;
  }

  answer(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { method = '', url = '', headers } = request;
    const line = `${method} ${url.replace(API, '')}`;
    this.requests.push(line);
    const send = (status: number, value?: unknown, more: Readonly<Record<string, string>> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more });
      response.end(value === undefined ? '' : JSON.stringify(value));
    };
    if (headers.authorization !== `Bearer ${GITHUB_TOKEN}`) {
      send(401, { message: 'Bad credentials' });
      return;
    }
    const index = this.faults.findIndex(({ on }) => on.test(line));
    const [fault] = index < 0 ? [] : this.faults.splice(index, 1);
    const act = () => this.route(line, body === '' ? {} : JSON.parse(body));
    if (fault?.done === true) act();
    if (fault?.lost === true) {
      response.destroy();
      return;
    }
    if (fault?.status !== undefined) {
      send(fault.status, fault.value ?? { message: fault.message ?? 'Server Error' }, fault.headers);
      return;
    }
    const { status, value, headers: more } = act();
    send(status, value, more);
  }

  private route(line: string, body: Record<string, unknown>): Result {
    const url = new URL(line.split(' ')[1] ?? '', 'http://x');
    for (const [pattern, handle] of this.#routes) {
      const match = pattern.exec(`${line.split(' ')[0]} ${url.pathname}`);
      if (match !== null) return handle(match[1] ?? '', body, url);
    }
    return { status: 404, value: { message: 'Not Found' } };
  }

  readonly #routes: readonly (readonly [RegExp, Handler])[] = [
    [/^POST \/api\/graphql$/, () => ok({ data: { viewer: { login: BOT } } })],
    [
      /^GET \/repos\/desk\/tasks\/issues\/(\d+)\/comments$/,
      (pull, _body, url) =>
        this.page(
          url,
          this.comments
            .filter((comment) => comment.pull === Number(pull))
            .map((comment) => this.commentJson(comment)),
        ),
    ],
    [
      /^POST \/repos\/desk\/tasks\/issues\/(\d+)\/comments$/,
      (pull, { body }) =>
        this.needs('pull-requests: write', () => ({
          status: 201,
          value: this.commentJson(this.comment(BOT, String(body), Number(pull))),
        })),
    ],
    [
      /^PATCH \/repos\/desk\/tasks\/issues\/comments\/(\d+)$/,
      (id, { body }) =>
        this.needs('pull-requests: write', () => {
          const comment = this.comments.find((entry) => entry.id === Number(id));
          if (comment === undefined) return { status: 404, value: { message: 'Not Found' } };
          comment.body = String(body);
          return ok(this.commentJson(comment));
        }),
    ],
    [
      /^DELETE \/repos\/desk\/tasks\/issues\/comments\/(\d+)$/,
      (id) =>
        this.needs('pull-requests: write', () => {
          this.comments = this.comments.filter((entry) => entry.id !== Number(id));
          return { status: 204 };
        }),
    ],
    [
      /^GET \/repos\/desk\/tasks\/issues$/,
      (_id, _body, url) => {
        const label = url.searchParams.get('labels') ?? '';
        const state = url.searchParams.get('state') ?? 'open';
        const found = this.issues.filter(
          (issue) => issue.labels.includes(label) && (state === 'all' || issue.state === state),
        );
        return this.page(
          url,
          found.reverse().map((issue) => this.issueJson(issue)),
        );
      },
    ],
    [
      /^POST \/repos\/desk\/tasks\/issues$/,
      (_id, { title, body, labels }) =>
        this.needs('issues: write', () => {
          this.#next += 1;
          const issue: Issue = {
            number: this.#next,
            login: BOT,
            labels: labels as string[],
            title: String(title),
            body: String(body),
            state: 'open',
            state_reason: null,
          };
          this.issues.push(issue);
          return { status: 201, value: this.issueJson(issue) };
        }),
    ],
    [
      /^PATCH \/repos\/desk\/tasks\/issues\/(\d+)$/,
      (number, change) =>
        this.needs('issues: write', () => {
          const issue = this.issues.find((entry) => entry.number === Number(number));
          if (issue === undefined) return { status: 404, value: { message: 'Not Found' } };
          Object.assign(issue, change);
          return ok(this.issueJson(issue));
        }),
    ],
    [
      /^GET \/repos\/desk\/tasks\/branches\/([\w%.-]+)$/,
      (name) => ok({ name: decodeURIComponent(name), commit: { sha: this.head(decodeURIComponent(name)) } }),
    ],
    [
      /^GET \/repos\/desk\/tasks\/commits\/([0-9a-f]+)\/statuses$/,
      (sha, _body, url) => {
        const found = this.statuses.filter((status) => status.sha === sha).toReversed();
        return this.page(url, found.map(statusJson));
      },
    ],
    [
      /^POST \/repos\/desk\/tasks\/statuses\/([0-9a-f]+)$/,
      (sha, { context, state }) =>
        this.needs('statuses: write', () => {
          const status = { sha, login: BOT, context: String(context), state: String(state) };
          this.statuses.push(status);
          return { status: 201, value: statusJson(status) };
        }),
    ],
    [
      /^GET \/repos\/desk\/tasks\/pulls$/,
      (_id, _body, url) =>
        this.page(
          url,
          this.pulls.toReversed().map((pull) => this.pullJson(pull)),
        ),
    ],
    [
      /^GET \/repos\/desk\/tasks\/commits\/([0-9a-f]+)\/pulls$/,
      (sha, _body, url) => {
        const found = this.pulls.filter(({ commits, merge_commit_sha: merged }) =>
          (commits ?? [merged]).includes(sha),
        );
        return this.page(
          url,
          found.map((pull) => this.pullJson(pull)),
        );
      },
    ],
  ];

  /** One page with the `Link` header that leads to the others. */
  private page(url: URL, items: readonly unknown[]): Result {
    const page = Number(url.searchParams.get('page') ?? '1');
    const slice = items.slice((page - 1) * PAGE, page * PAGE);
    if (page * PAGE >= items.length) return ok(slice);
    const next = new URL(`${this.origin}${API}${url.pathname}${url.search}`);
    next.searchParams.set('page', String(page + 1));
    return { ...ok(slice), headers: { link: `<${next.href}>; rel="next", <${next.href}>; rel="last"` } };
  }

  private needs(permission: Permission, act: () => Result): Result {
    if (this.permissions.has(permission)) return act();
    return {
      status: 403,
      value: {
        message: 'Resource not accessible by integration',
        documentation_url: 'https://docs.github.com/rest/issues/comments#create-an-issue-comment',
        status: '403',
      },
    };
  }

  private commentJson({ id, pull, login, body }: Comment) {
    const base = `${this.origin}${API}/repos/${REPOSITORY}`;
    return {
      id,
      node_id: `IC_${id}`,
      url: `${base}/issues/comments/${id}`,
      html_url: `${this.origin}/${REPOSITORY}/pull/${pull}#issuecomment-${id}`,
      issue_url: `${base}/issues/${pull}`,
      body,
      user: userJson(login),
      created_at: '2026-11-21T09:00:00Z',
      updated_at: '2026-11-21T09:00:00Z',
      author_association: login === BOT ? 'NONE' : 'CONTRIBUTOR',
      performed_via_github_app: null,
    };
  }

  private issueJson(issue: Issue) {
    return {
      id: issue.number * 1000,
      node_id: `I_${issue.number}`,
      url: `${this.origin}${API}/repos/${REPOSITORY}/issues/${issue.number}`,
      html_url: `${this.origin}/${REPOSITORY}/issues/${issue.number}`,
      number: issue.number,
      state: issue.state,
      state_reason: issue.state_reason,
      title: issue.title,
      body: issue.body,
      user: userJson(issue.login),
      labels: issue.labels.map((name) => ({ id: 1, name, color: 'ededed', default: false })),
      comments: 0,
      locked: false,
      created_at: '2026-11-21T09:00:00Z',
      updated_at: '2026-11-21T09:00:00Z',
      closed_at: null,
    };
  }

  private pullJson({ number, merged_at, merge_commit_sha, repository = REPOSITORY, into = 'main' }: Pull) {
    return {
      id: number * 1000,
      number,
      url: `${this.origin}${API}/repos/${REPOSITORY}/pulls/${number}`,
      html_url: `${this.origin}/${REPOSITORY}/pull/${number}`,
      state: merged_at === null ? 'open' : 'closed',
      user: userJson('mira'),
      merged_at,
      merge_commit_sha,
      head: { ref: 'change', sha: 'b'.repeat(40), repo: { full_name: repository } },
      base: { ref: into, sha: 'c'.repeat(40), repo: { full_name: repository } },
    };
  }
}

interface Result {
  readonly status: number;
  readonly value?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Handler = (id: string, body: Record<string, unknown>, url: URL) => Result;

function ok(value: unknown): Result {
  return { status: 200, value };
}

function statusJson({ login, context, state }: Status) {
  return { state, context, description: null, target_url: null, creator: userJson(login) };
}

function userJson(login: string) {
  const bot = login.endsWith('[bot]');
  return { login, id: bot ? 41898282 : 583231, type: bot ? 'Bot' : 'User', site_admin: false };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
