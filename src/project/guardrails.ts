import { type PolicyDocument, readPolicyDocument } from '../desired/guardrails/policy-document.ts';
import type { GuardrailSettings, PolicySource } from '../desired/guardrails/settings.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../manifest/source.ts';
import type { Guardrails, Policy } from '../plan/guardrails/compiled.ts';
import { leadsOutside } from './glob.ts';
import { readInside } from './inside.ts';
import type { FileTree } from './tree.ts';

export interface LoadedGuardrails {
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
      diagnostics.push({
        severity: 'error',
        code: 'policy-invalid',
        message: `policy ${policy.name}: ${message}`,
        ...(hint === undefined ? {} : { hint }),
        location: document.origin(path),
      });
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
    return {
      diagnostics: [
        { severity: 'error', code: 'file-outside-project', message, hint, location, length: file.length },
      ],
    };
  }
  const result = readInside(tree, file, location);
  if ('diagnostic' in result) return { diagnostics: [result.diagnostic] };
  sources.push(result.source);
  return readPolicyDocument(result.source);
}
