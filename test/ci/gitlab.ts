import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Note {
  readonly id: number;
  readonly author: number;
  body: string;
  /** The merge request; 7 without it. */
  readonly on?: number;
}

export interface Issue {
  readonly iid: number;
  readonly author: { readonly id: number };
  readonly labels: readonly string[];
  title: string;
  description: string;
  state: string;
}

/** As much of the GitLab REST API (v4) as note.mjs speaks: one project with a memory. */
export interface FakeGitLab {
  readonly url: string;
  readonly notes: Note[];
  readonly issues: Issue[];
  /** The commits that GitLab says the merge request was merged as. */
  readonly merged: {
    merge_commit_sha: string | null;
    squash_commit_sha: string | null;
    state: string;
    target_branch?: string;
    iid?: number;
  }[];
  /** Jobs that ended in an environment, the latest last. */
  readonly deployments: { readonly sha: string; readonly status: string; readonly environment: string }[];
  /** A commit and its first parents, the newest first. */
  readonly history: { line: (commit: string) => readonly string[] };
  close(): Promise<void>;
}

export const GITLAB_TOKEN = 'glpat-CanaryOfTheProject';
/** The user of that token. */
export const ME = 4;
const PAGE = 3;

interface Answer {
  readonly status: number;
  readonly value: unknown;
  readonly next?: string;
}

export async function startGitLab(): Promise<FakeGitLab> {
  const world = {
    notes: [] as Note[],
    issues: [] as Issue[],
    merged: [] as FakeGitLab['merged'],
    deployments: [] as FakeGitLab['deployments'],
    history: { line: (commit: string): readonly string[] => [commit] },
  };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const answer =
        headers['private-token'] === GITLAB_TOKEN
          ? route(world, method, new URL(url, 'http://x'), text)
          : { status: 401, value: { message: '401 Unauthorized' }, next: '' };
      const { status, value, next = '' } = answer;
      response.writeHead(status, { 'content-type': 'application/json', 'x-next-page': next });
      response.end(JSON.stringify(value));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    ...world,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ISSUES = '/projects/42/issues';
const NOTES = /^(GET|POST|PUT) \/projects\/42\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/;
const COMMIT_MERGES = /^GET \/projects\/42\/repository\/commits\/([0-9a-f]+)\/merge_requests$/;

function route(
  { notes, issues, merged, deployments, history }: Omit<FakeGitLab, 'url' | 'close'>,
  method: string,
  { pathname, searchParams }: URL,
  text: string,
): Answer {
  const sent = (text === '' ? {} : JSON.parse(text)) as Record<string, string>;
  const { body = '' } = sent;
  const line = `${method} ${pathname.replace('/api/v4', '')}`;
  const page = (items: readonly unknown[]): Answer => {
    const number = Number(searchParams.get('page') ?? '1');
    const next = number * PAGE < items.length ? String(number + 1) : '';
    return { status: 200, value: items.slice((number - 1) * PAGE, number * PAGE), next };
  };
  if (line === 'GET /user') return { status: 200, value: { id: ME, username: 'project_42_bot', bot: true } };
  if (line === `GET ${ISSUES}`) {
    const [state, label = ''] = [searchParams.get('state'), searchParams.get('labels') ?? undefined];
    return page(issues.filter((one) => one.state === state && one.labels.includes(label)));
  }
  if (line === `POST ${ISSUES}`) {
    const { title = '', description = '', labels = '' } = sent;
    const opened = {
      title,
      description,
      labels: labels.split(','),
      iid: issues.length + 1,
      author: { id: ME },
    };
    issues.push({ ...opened, state: 'opened' });
    return { status: 201, value: issues.at(-1) };
  }
  const issue = issues.find(({ iid }) => line === `PUT ${ISSUES}/${iid}`);
  if (issue !== undefined) {
    const { state_event, ...fields } = sent;
    Object.assign(issue, fields, state_event === 'close' ? { state: 'closed' } : {});
    return { status: 200, value: issue };
  }
  const [, verb, request, id] = NOTES.exec(line) ?? [];
  const on = Number(request);
  if (verb === 'GET') return page(notes.filter((note) => (note.on ?? 7) === on).map(noteJson));
  if (verb === 'POST') {
    const note = { id: 100 + notes.length, author: ME, body, on };
    notes.push(note);
    return { status: 201, value: noteJson(note) };
  }
  const note = notes.find((one) => one.id === Number(id));
  if (note !== undefined) {
    note.body = body;
    return { status: 200, value: noteJson(note) };
  }
  const commit = COMMIT_MERGES.exec(line)?.[1];
  if (commit !== undefined) {
    const known = merged.map((request) => ({
      iid: 7,
      sha: 'f'.repeat(40),
      target_branch: 'main',
      ...request,
    }));
    return page(
      known.filter(({ merge_commit_sha: merge, squash_commit_sha: squash }) =>
        [merge, squash].includes(commit),
      ),
    );
  }
  if (line === 'GET /projects/42/repository/commits') {
    const shas = history.line(searchParams.get('ref_name') ?? '');
    return { status: 200, value: shas.map((id) => ({ id })) };
  }
  if (line === 'GET /projects/42/deployments') {
    const [environment, status] = [searchParams.get('environment'), searchParams.get('status')];
    const made = deployments.filter((one) => one.environment === environment && one.status === status);
    return { status: 200, value: made.toReversed().map(({ sha }) => ({ sha, status })) };
  }
  return { status: 404, value: { message: '404 Not Found' } };
}

function noteJson({ id, author, body, on = 7 }: Note) {
  return {
    id,
    body,
    author: { id: author, username: author === ME ? 'project_42_bot' : 'mallory' },
    system: false,
    noteable_type: 'MergeRequest',
    noteable_iid: on,
  };
}
