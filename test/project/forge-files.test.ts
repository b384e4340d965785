import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { forgeFiles } from '../../src/core/command/output/forge-files.ts';
import { temporaryFolder } from '../support/cleanup.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const SOURCE = { commit: COMMIT, dirty: false };
const GITHUB = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'desk/tasks',
  GITHUB_SHA: COMMIT,
};
const GITLAB = {
  GITLAB_CI: 'true',
  CI_PROJECT_URL: 'https://gitlab.invalid:8443/group/sub/tasks',
  CI_COMMIT_SHA: COMMIT,
};

describe('where a forge shows the files of a project', () => {
  let root = '';
  beforeAll(() => {
    root = temporaryFolder('forge');
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'desks (a)/one'), { recursive: true });
    writeFileSync(join(root, 'desks (a)/one/tradeform.yaml'), '');
  });

  const at = (env: Record<string, string>, source: Parameters<typeof forgeFiles>[0] = SOURCE, cwd = root) =>
    forgeFiles(source, {}, { cwd, env });

  it('is known of a workflow on GitHub and of a job on GitLab', () => {
    expect(at(GITHUB)).toBe(`https://github.com/desk/tasks/blob/${COMMIT}/`);
    expect(at(GITLAB)).toBe(`https://gitlab.invalid:8443/group/sub/tasks/-/blob/${COMMIT}/`);
    expect(at(GITHUB, SOURCE, join(root, 'desks (a)/one'))).toBe(
      `https://github.com/desk/tasks/blob/${COMMIT}/desks%20%28a%29/one/`,
    );
  });

  it('is not known outside of one, of another commit, and of files that are not committed', () => {
    expect(at({})).toBeUndefined();
    expect(at({ ...GITHUB, GITHUB_ACTIONS: '' })).toBeUndefined();
    for (const env of [GITHUB, GITLAB]) {
      expect(at(env, { ...SOURCE, commit: 'f'.repeat(40) })).toBeUndefined();
      expect(at(env, { ...SOURCE, commit: null })).toBeUndefined();
      expect(at(env, { ...SOURCE, dirty: true })).toBeUndefined();
    }
  });

  it.each([
    'javascript:alert(1)',
    'https://x.invalid/a)](b',
    'https://x.invalid/a b/c',
    'https://x.invalid',
    '',
  ])('no link leads to %j', (url) => {
    expect(at({ ...GITLAB, CI_PROJECT_URL: url })).toBeUndefined();
    expect(at({ ...GITHUB, GITHUB_SERVER_URL: url, GITHUB_REPOSITORY: '' })).toBeUndefined();
  });
});
