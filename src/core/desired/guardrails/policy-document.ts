import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import { syntaxOf } from '../../manifest/composed.ts';
import { convert } from '../../manifest/convert.ts';
import { OPEN } from '../../manifest/schema.ts';
import type { Finding, Source } from '../../manifest/source.ts';
import { indexOf, type Path, Spans } from '../../manifest/spans.ts';
import { composeDocuments } from '../../manifest/yaml.ts';
import type { Json } from '../../model/json.ts';

export type PolicyDocument =
  | { readonly value: Json; readonly origin: (path: Path) => Location }
  | { readonly diagnostics: readonly Diagnostic[] };

/** A JSON Schema in its own file, JSON or YAML: one document, read as strictly as a manifest. */
export function readPolicyDocument(source: Source): PolicyDocument {
  const diagnostics: Diagnostic[] = [];
  const found = (finding: Finding) => {
    diagnostics.push(source.diagnostic(finding));
  };
  const [only, ...more] = composeDocuments(source.text, found);
  const root = only === undefined ? null : syntaxOf(only.document);
  if (diagnostics.length === 0 && (root === null || more.length > 0)) {
    found({
      code: 'policy-invalid',
      message: 'the file must contain exactly one JSON Schema',
      hint: 'write one document per file',
      start: 0,
      end: 0,
    });
  }
  if (diagnostics.length > 0 || root === null) return { diagnostics };
  const spans = new Spans();
  const { value } = convert(root, source, OPEN, found, spans);
  if (diagnostics.length > 0) return { diagnostics };
  return { value, origin: (path) => source.location(spans.at(indexOf(value, path).index).start) };
}
