import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, tradeform } from './run.ts';

const PROJECT = 'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\n';
const TIDY = 'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: tidy }\n';
const UNTIDY = 'kind: Label # one\nmetadata: {name: loose}\napiVersion: tradeform/v1\n';
const WRITTEN = 'apiVersion: tradeform/v1\nkind: Label # one\nmetadata: { name: loose }\n';

function project(files: Readonly<Record<string, string>>) {
  const made = folder({ 'tradeform.yaml': PROJECT, ...files });
  return { path: made.path, text: (file: string) => readFileSync(join(made.path, file), 'utf8') };
}

describe('fmt', () => {
  it('writes the files that are not in their canonical form, names them, and keeps their mode', async () => {
    const { path, text } = project({ 'manifests/tidy.yaml': TIDY, 'manifests/loose.yaml': UNTIDY });
    chmodSync(join(path, 'manifests/loose.yaml'), 0o640);
    expect(await tradeform(['fmt'], { cwd: join(path, 'manifests') })).toEqual({
      code: 0,
      stdout: 'loose.yaml\n',
      stderr: '',
    });
    expect(text('manifests/loose.yaml')).toBe(WRITTEN);
    expect(statSync(join(path, 'manifests/loose.yaml')).mode & 0o777).toBe(0o640);
    expect(await tradeform(['fmt', '--check'], { cwd: path })).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('writes nothing with --check, and ends with 2', async () => {
    const { path, text } = project({ 'manifests/loose.yaml': UNTIDY });
    const { code, stdout } = await tradeform(['fmt', '--check', '-o', 'json'], { cwd: path });
    expect([code, JSON.parse(stdout)]).toMatchObject([
      2,
      { format: 'tradeform.result/1', exit_code: 2, changed: ['manifests/loose.yaml'] },
    ]);
    expect(text('manifests/loose.yaml')).toBe(UNTIDY);
  });

  it('takes named files from anywhere', async () => {
    const { path, text } = project({ 'manifests/loose.yaml': UNTIDY, 'elsewhere/loose.yaml': UNTIDY });
    const { code, stdout } = await tradeform(['fmt', 'elsewhere/loose.yaml'], { cwd: path });
    expect([code, stdout]).toEqual([0, 'elsewhere/loose.yaml\n']);
    expect([text('elsewhere/loose.yaml'), text('manifests/loose.yaml')]).toEqual([WRITTEN, UNTIDY]);
  });

  it('writes no file if one has an error, and reports all errors at their places', async () => {
    const { path, text } = project({
      'manifests/a.yaml': UNTIDY,
      'manifests/b.yaml': 'kind: Label\nmetadata: [\n',
      'manifests/c.yaml': 'kind: Labl\napiVersion: tradeform/v1\nmetadata: { name: c }\n',
    });
    const { code, stdout, stderr } = await tradeform(['fmt'], { cwd: path });
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('manifests/b.yaml:2:11');
    expect(stderr).toContain('manifests/c.yaml:1:7');
    expect(text('manifests/a.yaml')).toBe(UNTIDY);
  });

  it('names the file that it leaves unchanged', async () => {
    const text = `${TIDY}---\n# of nothing\n---\n${TIDY.replace('tidy', 'other')}`;
    const { path } = project({ 'manifests/a.yaml': text });
    const { code, stdout, stderr } = await tradeform(['fmt'], { cwd: path });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('warning[format-left]: manifests/a.yaml');
  });

  it('needs no environment', async () => {
    const { path, text } = project({ 'manifests/loose.yaml': UNTIDY });
    const environments = 'spec: { environments: { one: {}, two: {} } }\n';
    const { code } = await tradeform(['fmt', '--project', 'tradeform.yaml'], { cwd: path });
    expect(code).toBe(0);
    const two = project({ 'tradeform.yaml': PROJECT + environments, 'manifests/loose.yaml': UNTIDY });
    expect(await tradeform(['fmt'], { cwd: two.path })).toMatchObject({ code: 0 });
    expect([text('manifests/loose.yaml'), two.text('manifests/loose.yaml')]).toEqual([WRITTEN, WRITTEN]);
  });

  it.each([
    ['no project', ['fmt'], 'no-project-file'],
    ['a file that is not there', ['fmt', 'nowhere.yaml'], 'file-unreadable'],
    ['a folder', ['fmt', '.'], 'file-not-regular'],
  ])('says what is wrong: %s', async (_case, args, code) => {
    const made = folder({});
    const result = await tradeform(args, { cwd: made.path });
    expect([result.code, result.stdout]).toEqual([3, '']);
    expect(result.stderr).toContain(`error[${code}]`);
  });
});
