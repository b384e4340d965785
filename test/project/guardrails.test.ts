import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readProject } from '../../src/core/project/project.ts';
import { folder } from '../cmd/run.ts';

const HEAD = 'apiVersion: tradeform/v1\nkind: Project\nmetadata:\n  name: core\nspec:\n  guardrails:\n';
const LABEL = 'apiVersion: tradeform/v1\nkind: Label\nmetadata:\n  name: hot\n';
let opened: ReturnType<typeof folder> | undefined;

async function read(guardrails: string, files: Readonly<Record<string, string>> = {}) {
  opened = folder({ 'tradeform.yaml': HEAD + guardrails, 'manifests/label.yaml': LABEL, ...files });
  return readProject({ cwd: opened.path });
}

describe('policies of a project', () => {
  const FILE = '    policies: [{ name: ours, message: Ask, file: policies/ours.json }]\n';

  it('are ready to use', async () => {
    const { guardrails, state, diagnostics } = await read(FILE, {
      'policies/ours.json': '{ "required": ["label"] }',
    });
    expect(diagnostics).toEqual([]);
    expect(state).toBeDefined();
    expect(guardrails?.policies.map(({ name, check }) => [name, check({})])).toEqual([
      ['ours', [{ path: 'label', value: undefined, text: 'must be present' }]],
    ]);
  });

  it('that are unusable make the project unusable, with the text of their file available', async () => {
    const text = '{ "required": "label" }';
    const { guardrails, state, diagnostics, sources } = await read(FILE, { 'policies/ours.json': text });
    expect({ guardrails, state }).toEqual({ guardrails: undefined, state: undefined });
    expect(diagnostics).toMatchObject([
      { code: 'policy-invalid', location: { file: 'policies/ours.json', line: 1, column: 15 } },
    ]);
    expect(sources.get('policies/ours.json')).toBe(text);
  });

  it('do not hide other errors', async () => {
    const { diagnostics } = await read(FILE, { 'manifests/label.yaml': LABEL.replace('hot', 'H o t') });
    expect(diagnostics.map(({ code }) => code)).toEqual(['invalid-name', 'file-unreadable']);
  });
});

it('names in guardrails are looked up in the manifests', async () => {
  const { diagnostics, state } = await read('    require_label: [hot, hott]\n');
  expect(state).toBeUndefined();
  expect(diagnostics).toMatchObject([
    { code: 'unknown-label', hint: 'did you mean hot?', location: { line: 7, column: 26 } },
  ]);
  expect((await read('    require_label: [hot]\n')).state).toBeDefined();
});

it('the compiler of policies is loaded only if there is one', () => {
  const root = join(import.meta.dirname, '../../src');
  const importers = (pattern: RegExp) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && pattern.test(readFileSync(join(root, name), 'utf8')),
    );
  expect(importers(/from '[^']*policy-compiler\.ts'/)).toEqual([]);
  expect(importers(/await import\('[^']*policy-compiler\.ts'\)/)).toEqual(['core/project/project.ts']);
});
