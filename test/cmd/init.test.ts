import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../ci/files.ts';
import { sniperConfig } from '../support/builders.ts';
import { afterwards } from '../support/cleanup.ts';
import { CANARY, folder, startSandbox, tradeform } from './run.ts';

const ROOT = join(import.meta.dirname, '../..');

function empty(files: Readonly<Record<string, string>> = {}): { path: string; text(file: string): string } {
  const made = folder(files);
  return { path: made.path, text: (file) => readFileSync(join(made.path, file), 'utf8') };
}

describe('init', () => {
  it('creates a project that validates, is in its canonical form and has no warnings', async () => {
    const { path } = empty();
    const { code, stdout } = await tradeform(
      ['init', '--project-name', 'desk', '--ci', 'none', '--base-url', 'https://example.invalid/v1'],
      { cwd: path },
    );
    expect([code, stdout.split('\n')]).toEqual([
      0,
      expect.arrayContaining(['tradeform.yaml', '.vscode/settings.json']),
    ]);
    expect(await tradeform(['validate'], { cwd: path })).toMatchObject({ code: 0, stderr: '' });
    expect(await tradeform(['fmt', '--check'], { cwd: path })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('says which name it took from the folder if nobody could be asked', async () => {
    const { path } = empty();
    const { stderr } = await tradeform(['init', 'The Desk', '--ci', 'none'], { cwd: path });
    expect(stderr.replace(/\s+/g, ' ')).toContain('the name of its folder with a random suffix');
    expect(stderr).toMatch(/is the-des-[a-z2-9]{4}:/);
    const named = ['init', 'other', '--project-name', 'core', '--ci', 'none'];
    expect((await tradeform(named, { cwd: path })).stderr).not.toContain('is called');
    expect((await tradeform(['init', 'third', '-q'], { cwd: path })).stderr).toBe('');
  });

  it.each(['github', 'gitea', 'gitlab'])('writes the complete workflow files for %s', async (ci) => {
    const { path, text } = empty();
    const { code } = await tradeform(['init', '--project-name', 'desk', '--ci', ci], { cwd: path });
    expect(code).toBe(0);
    const file = {
      github: '.github/workflows/tradeform-apply.yml',
      gitea: 'apply-repository/.gitea/workflows/tradeform-apply.yml',
      gitlab: '.gitlab-ci.yml',
    }[ci];
    const example = ci === 'gitlab' ? file : 'apply.yml';
    const expected = readFileSync(join(ROOT, 'examples/ci', ci, example ?? ''), 'utf8');
    expect(text(file ?? '')).toBe(expected);
    // The workflows name an environment: the project has it.
    expect(await tradeform(['validate', '-e', 'production'], { cwd: path })).toMatchObject({ code: 0 });
    expect(await tradeform(['fmt', '--check'], { cwd: path })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each(['github', 'gitea', 'gitlab'])(
    'adds the files for %s to a project that is there, and writes over none',
    async (ci) => {
      const environments = '\nspec:\n  environments: { live: {}, test: {} }\n';
      const project = `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: harbor-2 }${environments}`;
      const { path, text } = empty({ 'tradeform.yaml': project });
      const first = await tradeform(['init', '--ci', ci], { cwd: path });
      expect(first.code, first.stderr).toBe(0);
      const made = first.stdout.trimEnd().split('\n');
      expect(made.length).toBeGreaterThan(1);
      const place = {
        github: /^\.github\/|^package/,
        gitea: /^(?:apply-repository\/)?\.gitea\/|^package/,
        gitlab: /./,
      }[ci];
      for (const file of made) expect(file).toMatch(place ?? /^$/);
      expect(first.stderr.replaceAll('\n', ' ')).toContain(
        'this project has live, test: write one of these into the files',
      );
      expect(text('tradeform.yaml')).toBe(project);
      expect(existsSync(join(path, 'manifests'))).toBe(false);

      const [changed = '', gone = ''] = made;
      writeFileSync(join(path, changed), 'mine\n');
      rmSync(join(path, gone));
      const again = await tradeform(['init', '--ci', ci, '-o', 'json'], { cwd: path });
      expect(JSON.parse(again.stdout)).toMatchObject({
        made: [gone],
        kept: made.filter((file) => file !== gone),
      });
      expect(text(changed)).toBe('mine\n');
      const wrong = await tradeform(['init', '--ci', ci, '--from-live'], { cwd: path });
      expect([wrong.code, wrong.stdout]).toEqual([3, '']);
    },
  );

  it.each([
    ['github', '.github/workflows/tradeform-apply.yml'],
    ['gitea', 'apply-repository/.gitea/workflows/tradeform-apply.yml'],
    ['gitlab', 'ci/tradeform.gitlab-ci.yml'],
  ])('puts the files for %s at the top of the repository, from wherever it runs', async (ci, file) => {
    const found = 'node_modules/.bin/tradeform apply --project desks/one/tradeform.yaml --auto-approve';
    const said = 'through --project desks/one/tradeform.yaml.';
    const project = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: one }\n';
    const { path, text } = empty({
      '.git/HEAD': '',
      'desks/one/tradeform.yaml': project,
      'desks/one/manifests/x.yaml': '',
    });
    const manifests = join(path, 'desks/one/manifests');
    const { code, stdout, stderr } = await tradeform(['init', '--ci', ci], { cwd: manifests });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`../../../${file}\n`)]);
    expect(text(file)).toContain(found);
    expect(text(file)).not.toMatch(/\.bin\/tradeform (?!comment)\w+ (?!--project )/);
    expect(text(file)).toContain(
      'tradeform comment result --project desks/one/tradeform.yaml tradeform-apply',
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(said);
    expect(readdirSync(join(path, 'desks/one'), { recursive: true }).sort()).toEqual([
      'manifests',
      'manifests/x.yaml',
      'tradeform.yaml',
    ]);
    // Without --ci no second project begins by mistake; a new one that is asked for has its jobs at the top as well.
    expect(await tradeform(['init'], { cwd: manifests })).toMatchObject({ code: 3, stdout: '' });
    const other = empty({ '.git/HEAD': '' });
    const fresh = await tradeform(['init', 'desks/one', '--ci', ci], { cwd: other.path });
    expect([fresh.code, fresh.stderr.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(said)]);
    expect(other.text(file)).toContain(found);
  });

  it.each(['github', 'gitea', 'gitlab'])(
    'names no environment of tradeform for %s where there are no labels',
    async (ci) => {
      const { path, text } = empty({
        'tradeform.yaml': 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: one }\n',
      });
      const { code, stdout, stderr } = await tradeform(['init', '--ci', ci], { cwd: path });
      // A page that the user has, wherever the package is.
      const page = join(import.meta.dirname, `../../docs/how-to/${ci}.md`);
      expect([code, `${stderr.replace(/\s+/g, ' ')}`]).toEqual([
        0,
        `Copy tradeform-${VERSION}.tgz to the top of the repository, run \`npm install --save-dev --ignore-scripts ./tradeform-${VERSION}.tgz\` there, and commit it with package.json and package-lock.json: CI installs from them. Read the CI files: they name the secrets they need. The steps of the set-up are in ${page}. `,
      ]);
      expect(existsSync(page)).toBe(true);
      const texts = stdout.trimEnd().split('\n').map(text);
      const lines = texts.join('').split('\n');
      // What stays is the protected environment of the jobs that apply and resume.
      const named =
        { github: ['    environment: production'], gitea: [], gitlab: ['    name: production'] }[ci] ?? [];
      expect(lines.filter((line) => /^ *(?:environment|name): production/.test(line))).toEqual([
        ...named,
        ...named,
      ]);
      expect(lines.filter((line) => line.includes('TRADEFORM_ENVIRONMENT'))).toEqual([]);
    },
  );

  it('takes its name from the folder, and removes nothing', async () => {
    const { path, text } = empty({
      'My Desk (2)/.gitignore': 'dist/\nnode_modules/',
      'My Desk (2)/.vscode/settings.json': '{}',
    });
    const { code, stdout, stderr } = await tradeform(['init', 'My Desk (2)', '--ci', 'none'], { cwd: path });
    expect(code).toBe(0);
    expect(text('My Desk (2)/tradeform.yaml')).toMatch(/name: my-desk-[a-z2-9]{4} /);
    expect(text('My Desk (2)/.vscode/settings.json')).toBe('{}');
    expect(text('My Desk (2)/.gitignore')).toBe('dist/\nnode_modules/\n*.plan\nplan.json\n.env\n');
    expect(stdout).toContain('My Desk (2)/manifests/labels.yaml\n');
    expect(stderr).toContain('Not changed: My Desk (2)/.vscode/settings.json.');
    expect(stderr).toContain("Next:\n  cd 'My Desk (2)'\n");
  });

  it('creates nothing in an existing project, or for an invalid name', async () => {
    const { path } = empty({ 'tradeform.yaml': 'mine' });
    expect(await tradeform(['init'], { cwd: path })).toMatchObject({ code: 3, stdout: '' });
    const other = empty();
    const { code, stderr } = await tradeform(['init', '--project-name', 'Far Too Long A Name'], {
      cwd: other.path,
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('1 to 12 characters of a-z')]);
    expect(existsSync(join(other.path, 'tradeform.yaml'))).toBe(false);
  });

  it('from a live account: the first apply adopts everything, and a second plan is empty', async () => {
    const { path } = empty();
    const seed = join(path, 'seed.json');
    const tasks = [1, 2, 3].map((number) => ({
      kind: 'sniper',
      remark: `By hand ${number}`,
      target_wallet: 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG',
      is_active: number !== 2,
      // What is asleep is no limit.
      config: sniperConfig(
        number === 1
          ? {
              relay_mode: { tip_amount: '0.001', priority_fee: '0', slippage: '95', bundle_amount: '0.0015' },
            }
          : { buy_amount: number === 2 ? '0.70' : '0.2' },
      ),
    }));
    const other = { ...tasks[0], remark: 'copy [git:old]', is_active: true };
    const account = { login_username: 'whales', tokens: [{ token: CANARY }], tasks: [...tasks, other] };
    writeFileSync(seed, JSON.stringify({ accounts: [account] }));
    const sandbox = await startSandbox([], seed);
    afterwards(() => sandbox.stop());
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
    const made = await tradeform(['init', 'desk', '--from-live', '--ci', 'none', '--presets'], {
      cwd: path,
      env,
    });
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('tradeform apply')]);
    expect(made.stderr).toContain('allow twice the highest live values.');
    expect(made.stderr).toContain('says "adopted", and nothing else');
    const told = made.stderr.replace(/\s+/g, ' ');
    expect(told).toMatch(
      /is not exported: its remark "copy \[git:old\]" looks like a marker\. It trades 0\.50\d+ SOL outside git\. `tradeform export --out \. [0-9a-f-]{36}` exports it/,
    );
    expect(told).toContain('Remove `metadata.id` once they are adopted.');
    const project = join(path, 'desk');
    const file = readFileSync(join(project, 'tradeform.yaml'), 'utf8');
    expect(file).toContain('login_username: "whales"');
    // Of tasks that are off as well.
    expect(file).toContain(
      [
        '  guardrails:',
        '    max_buy_amount: "1.4" # SOL: twice the largest live buy',
        '    max_tip: "0.004" # SOL: twice the highest live tip or bundle amount',
        '    max_priority_fee: "0.001" # SOL: twice the highest live fee',
        '    max_slippage: "20" # percent: twice the highest live value\n',
      ].join('\n'),
    );
    const applied = await tradeform(['apply', '--auto-approve', '-o', 'json', '-q'], { cwd: project, env });
    const report = JSON.parse(applied.stdout) as { changes: { actions: string[]; paused_ms: unknown }[] };
    expect([applied.code, report.changes.map(({ actions, paused_ms }) => [actions[0], paused_ms])]).toEqual([
      0,
      [1, 2, 3].map(() => ['adopt', null]),
    ]);
    expect(await tradeform(['plan', '--detailed-exitcode', '-q'], { cwd: project, env })).toMatchObject({
      code: 0,
    });
  });

  it('takes another name each time, and never one that tasks on the account carry', async () => {
    const { path, text } = empty();
    const seed = join(path, 'seed.json');
    const task = { kind: 'sniper', target_wallet: 'C15bzTnVPUeGUBn71Tfjm8njiS43u9ryX5nNeWSxZvBG' };
    const own = { ...task, remark: 'Theirs [git:dup/a@0]', config: sniperConfig() };
    const tasks = [own, { ...own, remark: 'Odd [git:dup/b@0]', target_wallet: '1'.repeat(44) }];
    writeFileSync(
      seed,
      JSON.stringify({ accounts: [{ login_username: 'desk', tokens: [{ token: CANARY }], tasks }] }),
    );
    const sandbox = await startSandbox([], seed);
    afterwards(() => sandbox.stop());
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: sandbox.token };
    const init = (...args: readonly string[]) =>
      tradeform(['init', ...args, '--ci', 'none'], { cwd: path, env });
    const taken = await init('dup', '--project-name', 'dup');
    expect([taken.code, existsSync(join(path, 'dup'))]).toEqual([4, false]);
    expect(taken.stderr.replace(/\s+/g, ' ')).toContain(
      'error[project-name-taken]: 2 tasks of project dup on this account: another repository uses the name',
    );
    const named = await init('one/dup');
    expect([named.code, text('one/dup/tradeform.yaml')]).toEqual([
      0,
      expect.stringContaining('account: { login_username: "desk" } # any other'),
    ]);
    expect(named.stderr).toMatch(/^ {2}tradeform apply {8}# shows the plan and asks$/m);
    expect((await init('two/dup')).code).toBe(0);
    const [one, two] = ['one', 'two'].map(
      (folder) => /name: (dup-\w{4}) /.exec(text(`${folder}/dup/tradeform.yaml`))?.[1],
    );
    expect(one).toBeDefined();
    expect(two).toBeDefined();
    expect(one).not.toBe(two);
    // Its own tasks, whose manifests were lost. No manifest can have the second one, so a plan must not delete it.
    const again = await init('again', '--project-name', 'dup', '--from-live');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('says "adopted", and more')]);
    expect(again.stderr).not.toContain('no task starts or pauses');
    expect(text('again/tradeform.yaml')).toContain('  prune: { tasks: never } # ');
  });

  it('names the packed file that CI installs from', async () => {
    const { path, text } = empty();
    const { code, stderr } = await tradeform(['init', 'one', '--ci', 'github'], { cwd: path });
    expect(code, stderr).toBe(0);
    const packed = `tradeform-${VERSION}.tgz`;
    expect(JSON.parse(text('one/package.json'))).toEqual({
      private: true,
      devDependencies: { tradeform: `file:${packed}` },
    });
    const install = `Copy ${packed} to the top of the repository, run \`npm install --save-dev --ignore-scripts ./${packed}\` there`;
    expect(stderr.replace(/\s+/g, ' ')).toContain(install);
    const own = JSON.stringify({ devDependencies: { tradeform: `file:${packed}` } });
    const { path: there, text: kept } = empty({ 'package.json': own });
    const other = await tradeform(['init', '--ci', 'gitlab'], { cwd: there });
    expect(kept('package.json')).toBe(own);
    expect(other.stderr.replace(/\s+/g, ' ')).toContain(
      ` Commit ${packed} with package.json and package-lock.json:`,
    );
  });

  it('continues if the account cannot be read', async () => {
    const { path } = empty();
    const env = { TRADEFORM_BASE_URL: 'http://127.0.0.1:9/v1', TRADEFORM_TOKEN: CANARY };
    const made = await tradeform(['init', 'desk', '--ci', 'none'], { cwd: path, env });
    expect([made.code, existsSync(join(path, 'desk/tradeform.yaml'))]).toEqual([0, true]);
    expect(made.stderr).toMatch(
      /It is unknown whether other tasks have the name desk-\w+: .*connection was refused/s,
    );
  });

  it('creates no file if the token is wrong', async () => {
    const { path } = empty();
    const sandbox = await startSandbox();
    afterwards(() => sandbox.stop());
    const env = { TRADEFORM_BASE_URL: sandbox.baseUrl, TRADEFORM_TOKEN: 'svc_live_00000000.nobody' };
    const { code } = await tradeform(['init', 'desk', '--from-live', '--ci', 'none'], { cwd: path, env });
    expect([code, existsSync(join(path, 'desk'))]).toEqual([1, false]);
  });
});
