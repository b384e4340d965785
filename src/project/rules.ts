import { readProjectRules } from '../desired/project-rules.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Guardrails } from '../plan/guardrails/compiled.ts';
import type { Rules } from '../plan/rules/rules.ts';
import { loadGuardrails } from './guardrails.ts';
import type { FileTree } from './tree.ts';

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
