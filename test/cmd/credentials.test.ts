import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CANARY, folder, projectFiles, readText, tradeform } from './run.ts';

const project = folder(projectFiles());
mkdirSync(join(project.path, 'plain'));

const SECRET = CANARY.slice(CANARY.indexOf('.') + 1);
const OTHER = 'a-Canary_of-the.runner';

/** Runs a command on a task whose note is that variable of the environment. */
function withNote(name: string, env: Record<string, string>, args: readonly string[]) {
  const text = readText(project.path, 'manifests/alpha.yaml').replace(
    /remark: .*/,
    `remark: "\${env.${name}}"`,
  );
  writeFileSync(join(project.path, 'manifests/alpha.yaml'), text);
  return tradeform(args, { cwd: project.path, env });
}

async function expectRefused(name: string, env: Record<string, string>): Promise<void> {
  for (const args of [['validate'], ['validate', '-o', 'json'], ['render'], ['plan']]) {
    const { code, stdout, stderr } = await withNote(name, env, args);
    expect(code, `${args.join(' ')}: ${stdout}${stderr}`).toBe(3);
    const said = `${stdout}${stderr}`;
    expect(said).toContain('env-credential');
    expect(said).toMatch(/manifests\/alpha\.yaml:7:11|"line": 7,\s+"column": 11/);
    expect(said).toContain(name);
    for (const value of [SECRET, ...Object.values(env)]) expect(said).not.toContain(value);
  }
}

describe('a credential never becomes the value of a field', () => {
  it.each([
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'GH_ENTERPRISE_TOKEN',
    'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
    'ACTIONS_RUNTIME_TOKEN',
    'GITLAB_TOKEN',
    'CI_JOB_TOKEN',
    'CI_JOB_JWT_V2',
    'CI_REGISTRY_PASSWORD',
    'CI_DEPLOY_PASSWORD',
    'CI_REPOSITORY_URL',
    'NPM_TOKEN',
    'NODE_AUTH_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'AZURE_CLIENT_SECRET',
    'CIRCLE_OIDC_TOKEN_V2',
    'SSH_AUTH_SOCK',
    'github_token',
  ])('by its name: %s', async (name) => {
    const { code, stdout, stderr } = await withNote(name, { [name]: OTHER }, ['validate']);
    expect({ code, said: stderr }).toEqual({ code: 3, said: expect.stringContaining('env-credential') });
    expect(`${stdout}${stderr}`).not.toContain(OTHER);
    // It is refused where it is not set, too: the run that has it is another one.
    expect((await withNote(name, {}, ['validate'])).stderr).toContain('env-credential');
  });

  it.each([
    ['the token', CANARY],
    ['the token within a text', `x ${CANARY} y`],
    ['the token in base64', Buffer.from(CANARY).toString('base64')],
    ['the token in base64 behind a byte', Buffer.from(`:${CANARY}`).toString('base64url')],
    ['the token in base64 behind two bytes', Buffer.from(`a:${CANARY}`).toString('base64')],
    ['the token in hex', Buffer.from(CANARY).toString('hex')],
    ['a token of GitHub', `ghs_${'a1B2'.repeat(9)}`],
    ['a token of GitLab', `glpat-${'a1B2'.repeat(5)}`],
    ['a JSON Web Token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3aGFsZSJ9.c2lnbmF0dXJl'],
    ['a URL with a password', 'https://bot:pass@host.invalid/x'],
  ])('by its form: %s', async (_what, value) => {
    await expectRefused('NOTE', { NOTE: value });
  });

  it.each([
    ['a token of the runner', { NOTE: OTHER, CI_JOB_TOKEN: OTHER }],
    ['one within a text', { NOTE: `x${OTHER}`, GITHUB_TOKEN: OTHER }],
    ['one in base64', { NOTE: btoa(`x:${OTHER}`), ACTIONS_RUNTIME_TOKEN: OTHER }],
    ['the secret part of the token in use', { NOTE: SECRET, TRADEFORM_TOKEN: CANARY }],
  ])('by its value under another name: %s', async (_what, env) => {
    await expectRefused('NOTE', env);
  });

  it('by its value: the secret part of a token that comes from a file', async () => {
    writeFileSync(join(project.path, 'token'), `${CANARY}\n`, { mode: 0o600 });
    for (const command of ['plan', 'doctor']) {
      const { code, stdout, stderr } = await withNote('NOTE', { NOTE: `x${SECRET}` }, [
        command,
        '--base-url',
        'http://127.0.0.1:9/v1',
        '--token-file',
        'token',
      ]);
      expect(code).toBe(3);
      expect(`${stdout}${stderr}`).toMatch(/NOTE,\s+which\s+a\s+manifest\s+uses/);
      expect(`${stdout}${stderr}`).not.toContain(SECRET);
    }
  });

  it('any other variable is a value', async () => {
    const env = { NOTE: 'Quiet harbour', CI_JOB_TOKEN: OTHER, GITHUB_TOKEN: '', CI_DEPLOY_PASSWORD: 'Q' };
    const { code, stderr } = await withNote('NOTE', env, ['validate']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
});
