import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { commandName } from '../../cmd/options.ts';
import { buildProgram } from '../../cmd/program.ts';
import type { Io } from '../../src/core/command/io.ts';
import { CANARY, tradeform } from '../cmd/run.ts';
import { temporaryFolder } from '../support/cleanup.ts';
import { type TestRepository, testRepository } from '../support/repository.ts';
import { REPOSITORY } from './host.ts';
import { EVENTS, onMain, type PullEvent, pullRequest } from './workflow-event.ts';

vi.setConfig({ testTimeout: 60_000 });

/** A service, or what a pull request calls one: it notes the tokens that it gets, and refuses them. */
let service: Server;
let url = '';
const tokens: string[] = [];
let repository: TestRepository;
let folder = '';
beforeAll(async () => {
  service = createServer(({ headers }, answer) => {
    tokens.push(String(headers.authorization));
    const error = { code: 'invalid_api_token', message: 'No' };
    answer.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1`;
  folder = temporaryFolder('event');
  repository = testRepository();
  const project = (base_url: string) =>
    repository.write(
      'tradeform.yaml',
      `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { base_url: "${base_url}" }\n`,
    );
  project('https://service.invalid/v1');
  repository.write(
    'manifests/label.yaml',
    'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: steady }\nspec: { name: Steady }\n',
  );
  for (const [file, folder] of [
    ['fleet.yaml', '.'],
    ['new.yaml', 'new'],
  ] as const)
    repository.write(
      file,
      `apiVersion: tradeform/v1\nkind: Fleet\nmetadata: { name: core }\nspec: { base_url: "${url}", units: [{ project: ${folder}, token_env: TRADEFORM_TOKEN_A }] }\n`,
    );
  repository.commit();
  repository.git('checkout', '-q', '-b', 'change');
  project(url);
  repository.commit();
});
beforeEach(() => void tokens.splice(0));
afterAll(() => new Promise((resolve) => service.close(resolve)));

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  validate: ['validate'],
  plan: ['plan'],
  status: ['status'],
  drift: ['drift'],
  export: ['export'],
  doctor: ['doctor'],
  apply: ['apply', '--auto-approve'],
  rollback: ['rollback', 'HEAD^', '--auto-approve'],
  pause: ['pause', '--all'],
  resume: ['resume', '--all', '--auto-approve'],
  release: ['release', '--id', '00000000-0000-4000-8000-000000000000', '--auto-approve'],
  'fleet plan': ['fleet', 'plan'],
  'fleet init': ['fleet', 'init', '--from-live', '--fleet', 'new.yaml'],
  'fleet status': ['fleet', 'status'],
  'fleet drift': ['fleet', 'drift'],
  'fleet apply': ['fleet', 'apply', '--auto-approve'],
  'fleet pause': ['fleet', 'pause', '--all'],
  'fleet resume': ['fleet', 'resume', '--all', '--auto-approve'],
};
const WRITING = [
  'apply',
  'rollback',
  'pause',
  'resume',
  'release',
  'fleet apply',
  'fleet pause',
  'fleet resume',
];
const READING = Object.keys(COMMANDS).filter((name) => name !== 'validate' && !WRITING.includes(name));

/** They send nothing to the service, or what sends it is another command; `init` and `comment` go where the job says. */
const OTHERS =
  /^(?:render|comment|report|init|explain|fmt|schema|log( \w+)?|sandbox|completion|__complete|fleet(?: (?:validate|matrix|merge))?)$/;

it('knows every command', () => {
  const namesIn = (parent: Command): string[] =>
    parent.commands.flatMap((command) => [commandName(command), ...namesIn(command)]);
  const names = namesIn(buildProgram({} as Io, () => {}));
  expect(names.filter((name) => !OTHERS.test(name)).sort()).toEqual(Object.keys(COMMANDS).sort());
});

/** In a job of that event, with the token of the service; the settings of the repository name the host, unless they do not. */
function run(
  command: string,
  event: Readonly<Record<string, string>>,
  more: readonly string[] = [],
  named = url,
) {
  return tradeform([...(COMMANDS[command] ?? [command]), ...more], {
    cwd: repository.path,
    env: {
      HOME: folder,
      NO_COLOR: '1',
      COLUMNS: '999',
      GITHUB_REPOSITORY: REPOSITORY,
      TRADEFORM_TOKEN: CANARY,
      TRADEFORM_TOKEN_A: CANARY,
      TRADEFORM_CONFIRMED_HOSTS: `TRADEFORM_TOKEN_A=${new URL(url).origin}`,
      ...(named === '' ? {} : { TRADEFORM_BASE_URL: named }),
      ...event,
    },
  });
}

async function isRefused(ran: ReturnType<typeof run>, says: RegExp): Promise<void> {
  const { code, stderr } = await ran;
  expect(code, stderr).toBe(4);
  expect(stderr).toContain('event-refused');
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain(CANARY);
  expect(tokens).toEqual([]);
}

async function runs(ran: ReturnType<typeof run>): Promise<void> {
  const { stderr } = await ran;
  expect(stderr).not.toContain('event-refused');
  expect(tokens.length, stderr).toBeGreaterThan(0);
}

const OWN = ['push', 'workflow_dispatch', 'schedule'];
/** Some can be started by a stranger; what GitHub adds tomorrow stands for the others. */
const ELSEWHERE = [
  ...['workflow_run', 'issue_comment', 'issues', 'repository_dispatch', 'release', 'check_suite', 'status'],
  ...['workflow_call', 'pull_request_review', 'something_of_tomorrow', ''],
];
const pull = (event: PullEvent = {}) => pullRequest(folder, event);
const main = (event: string, ref?: string) => onMain(folder, event, undefined, ref);

describe.each(WRITING)('%s', (command) => {
  it('runs on a push to the default branch', () => runs(run(command, main('push'))));

  it.each([
    ['pull_request', () => pull(), /does not run on pull_request: a pull request is not merged/],
    ['workflow_run', () => main('workflow_run'), /does not run on workflow_run/],
    ['a tag', () => main('push', 'refs/tags/v1'), /does not run on a tag/],
    ['another branch', () => main('push', 'refs/heads/attic'), /does not run on the branch attic/],
    [
      'a queue',
      () => main('merge_group', 'refs/heads/gh-readonly-queue/main/pr-7'),
      /branch gh-readonly-queue/,
    ],
    ['a merge request', () => EVENTS.gitlab.pullRequest(folder), /does not run on a merge request/],
    [
      'another branch of GitLab',
      () => EVENTS.gitlab.onMain(folder, 'push', undefined, 'refs/heads/attic'),
      /the branch attic: .*pipelines of the default branch/s,
    ],
  ] as const)('does not run on %s', (_name, event, says) => isRefused(run(command, event()), says));
});

it.each(OWN)('apply runs on %s', (event) => runs(run('apply', main(event))));
it.each(['pull_request', ...ELSEWHERE])('apply does not run on "%s", and says where it does', (event) =>
  isRefused(
    run('apply', event === 'pull_request' ? pull() : main(event)),
    /does not run on .*apply runs on (?:push, workflow_dispatch, schedule|pull_request)/s,
  ),
);

describe.each(READING)('%s', (command) => {
  const base = command === 'fleet plan' ? ['--base', 'main'] : [];
  it('runs on a push, in a queue, and on a pull request where the settings name the host', async () => {
    await runs(run(command, main('push')));
    tokens.splice(0);
    if (command.startsWith('fleet') && base.length === 0) return;
    await runs(run(command, pull(), base));
    await runs(run(command, main('merge_group'), base));
  });

  it.each([
    ['a fork', { from: 'mallory/tasks' }, /comes from a fork, and such a run gets no token/],
    ['a repository that is gone', { from: null }, /comes from a fork/],
    ['Dependabot', { actor: 'dependabot[bot]' }, /Dependabot started this run/],
  ] as const)('gets no token on a pull request of %s', (_name, event, says) =>
    isRefused(run(command, pull(event), base), says),
  );

  it('does not run on an event that a stranger causes', () =>
    isRefused(run(command, main('issue_comment')), /does not run on issue_comment: .*pull_request, push/s));

  it.each([
    ['a pull request', () => pull()],
    ['a tag', () => main('push', 'refs/tags/v1')],
    ['another branch', () => main('push', 'refs/heads/attic')],
    ['a merge request', () => EVENTS.gitlab.pullRequest(folder)],
    ['a branch of GitLab', () => EVENTS.gitlab.onMain(folder, 'push', undefined, 'refs/heads/attic')],
  ] as const)('sends no token to a host that only %s names', (_name, event) =>
    isRefused(run(command, event(), [], ''), /which host gets the token: .*TRADEFORM_BASE_URL/s),
  );
});

it.each(ELSEWHERE)('plan does not run on "%s"', (event) =>
  isRefused(run('plan', main(event)), /plan does not run on/),
);

it('a base shows that the host changed, so the host gets no token', async () => {
  const { code, stderr } = await run('plan', pull(), ['--base', 'main'], '');
  expect([code, tokens], stderr).toEqual([4, []]);
  expect(stderr).toContain('base-url-unconfirmed');
});

it.each(['schedule', 'push'])('on %s, the project file is merged, and names the host', (event) =>
  runs(run('drift', main(event), [], '')),
);

it.each(['plan', 'apply', 'drift', 'pause', 'comment'])('%s is refused on pull_request_target', (command) =>
  isRefused(
    run(command, pull({ event: 'pull_request_target' }), command === 'comment' ? ['plan', 'x'] : []),
    /pull_request_target is refused: .*on: pull_request/s,
  ),
);

it.each(['workflow_run', 'issue_comment', 'pull_request_target'])('validate runs on %s', async (event) => {
  const { stderr } = await run('validate', main(event));
  expect(stderr).not.toContain('event-refused');
});

it('outside of a job, every event is that of a person', async () => {
  const { GITHUB_ACTIONS: _, ...event } = pull({ from: 'mallory/tasks' });
  await runs(run('pause', event));
});

describe('on Gitea', () => {
  const GITEA = {
    GITHUB_GRAPHQL_URL: '',
    GITHUB_SERVER_URL: 'https://git.invalid',
    GITHUB_REPOSITORY: 'desk/apply',
  };
  const job = (event: Readonly<Record<string, string>>, repo?: string) => ({
    ...event,
    ...GITEA,
    ...(repo === undefined ? {} : { TRADEFORM_REPOSITORY: repo }),
  });

  it('an apply in the repository whose writers read its token says so', async () => {
    const { stderr } = await run('apply', job(main('schedule')));
    expect(stderr).toMatch(/token-unprotected.*whoever can push a branch can read it/s);
    const other = await run('apply', job(main('schedule'), 'desk/tasks@release/1'));
    expect(other.stderr).not.toContain('token-unprotected');
    expect(tokens.length).toBeGreaterThan(0);
  });

  it('of a pull request, or without a branch, it sends nothing', async () => {
    await isRefused(run('apply', job(pull(), 'desk/tasks@main')), /a pull request is not merged/);
    const { code, stderr } = await run('apply', job(main('schedule'), 'desk/tasks'));
    expect([code, tokens], stderr).toEqual([3, []]);
    expect(stderr).toMatch(/TRADEFORM_REPOSITORY is not OWNER\/NAME@BRANCH: desk\/tasks/);
  });
});
