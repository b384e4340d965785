import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Note {
  readonly id: number;
  readonly author: number;
  body: string;
}

export interface Issue {
  readonly iid: number;
  readonly author: { readonly id: number };
  readonly labels: readonly string[];
  title: string;
  description: string;
  state: string;
}

/** As much of the GitLab REST API (v4) as note.mjs speaks: one project, one merge request, with a memory. */
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
  }[];
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
  const world = { notes: [] as Note[], issues: [] as Issue[], merged: [] as FakeGitLab['merged'] };
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
const NOTES = '/projects/42/merge_requests/7/notes';

function route(
  { notes, issues, merged }: Pick<FakeGitLab, 'notes' | 'issues' | 'merged'>,
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
  if (line === `GET ${NOTES}`) return page(notes.map(noteJson));
  if (line === `POST ${NOTES}`) {
    const note = { id: 100 + notes.length, author: ME, body };
    notes.push(note);
    return { status: 201, value: noteJson(note) };
  }
  const note = notes.find(({ id }) => line === `PUT ${NOTES}/${id}`);
  if (note !== undefined) {
    note.body = body;
    return { status: 200, value: noteJson(note) };
  }
  if (/^GET \/projects\/42\/repository\/commits\/[0-9a-f]+\/merge_requests$/.test(line)) {
    return page(
      merged.map((request) => ({ iid: 7, sha: 'f'.repeat(40), target_branch: 'main', ...request })),
    );
  }
  return { status: 404, value: { message: '404 Not Found' } };
}

function noteJson({ id, author, body }: Note) {
  return {
    id,
    body,
    author: { id: author, username: author === ME ? 'project_42_bot' : 'mallory' },
    system: false,
    noteable_type: 'MergeRequest',
    noteable_iid: 7,
  };
}
