import { type PolicyDocument, readPolicyDocument } from '../desired/guardrails/policy-document.ts';
import type { GuardrailSettings, PolicySource } from '../desired/guardrails/settings.ts';
import { readProjectRules } from '../desired/project-rules.ts';
import { type Diagnostic, problemIn } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import type { Guardrails, Policy } from '../plan/guardrails/compiled.ts';
import type { Rules } from '../plan/rules/rules.ts';
import { leadsOutside } from './glob.ts';
import { readInside } from './read-file.ts';
import type { FileTree } from './tree.ts';

interface LoadedGuardrails {
  /** The guardrails without unusable policies. Each of those has a diagnostic. */
  readonly guardrails: Guardrails;
  readonly diagnostics: readonly Diagnostic[];
  /** The files of policies. */
  readonly sources: readonly Source[];
}

/** Prepares the guardrails of a project. The compiler of policies is loaded only if there is a policy. */
export async function loadGuardrails(
  tree: FileTree,
  { limits, policies: wanted }: GuardrailSettings,
): Promise<LoadedGuardrails> {
  if (wanted.length === 0) return { guardrails: { limits, policies: [] }, diagnostics: [], sources: [] };
  const { compilePolicy } = await import('../plan/guardrails/policy-compiler.ts');
  const policies: Policy[] = [];
  const diagnostics: Diagnostic[] = [];
  const sources: Source[] = [];
  for (const policy of wanted) {
    const document = 'file' in policy.schema ? readFile(tree, policy.schema, sources) : policy.schema;
    if ('diagnostics' in document) {
      diagnostics.push(...document.diagnostics);
      continue;
    }
    const compiled = compilePolicy(document.value);
    if ('check' in compiled) {
      const { name, message, target, action, location } = policy;
      const { value } = document;
      policies.push({ name, message, target, action, location, document: value, check: compiled.check });
      continue;
    }
    for (const { path, message, hint } of compiled.problems) {
      const at = document.origin(path);
      diagnostics.push(problemIn(at, 'policy-invalid', `policy ${policy.name}: ${message}`, hint));
    }
  }
  return { guardrails: { limits, policies }, diagnostics, sources };
}

function readFile(
  tree: FileTree,
  { file, location }: Extract<PolicySource['schema'], { file: string }>,
  sources: Source[],
): PolicyDocument {
  if (leadsOutside(file)) {
    const message = `the file ${file} is outside the project directory`;
    const hint = 'policies must be below tradeform.yaml';
    const outside = problemIn(location, 'file-outside-project', message, hint);
    return { diagnostics: [{ ...outside, length: file.length }] };
  }
  const result = readInside(tree, file, location);
  if ('diagnostic' in result) return { diagnostics: [result.diagnostic] };
  sources.push(result.source);
  return readPolicyDocument(result.source);
}

export type RulesResult =
  | { readonly rules: Omit<Rules, 'wallets'> }
  /** Why the project file gives no rules: at least one error. `missing` if the file does not exist. */
  | { readonly diagnostics: readonly Diagnostic[]; readonly missing: boolean };

/**
 * The rules that the project file of a tree sets for an environment, even if the manifests have errors. `ready` are its
 * guardrails if they were prepared before. Otherwise an unusable policy is left out.
 */
export async function readRules(
  tree: FileTree,
  projectFile: string,
  environment: string | undefined,
  ready: Guardrails | undefined,
): Promise<RulesResult> {
  const standing = tree.find(projectFile);
  const missing = standing.type === 'broken' && standing.missing;
  const file = tree.read(projectFile);
  if ('diagnostic' in file) return { diagnostics: [file.diagnostic], missing };
  const result = readProjectRules(file.source, environment);
  if ('diagnostics' in result) return { ...result, missing };
  const guardrails = ready ?? (await loadGuardrails(tree, result.rules.guardrails)).guardrails;
  return { rules: { ...result.rules, guardrails } };
}
