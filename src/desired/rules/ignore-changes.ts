import type { Problem } from '../../manifest/manifest.ts';
import { childSchema, type SchemaNode, schemaAt, UNKNOWN } from '../../manifest/schema.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { ofFamily, type Rule } from './rule.ts';

/** Fields outside the config that can be left to the service. */
const TOP = ['remark', 'label', 'linked_wallets'];

/** `lifecycle.ignore_changes` names existing fields, and no list elements (DESIGN 2). */
export const ignoreChanges: Rule = {
  name: 'ignore-changes',
  check(input, report) {
    for (const manifest of ofFamily(input, 'task')) {
      const at = ['spec', 'lifecycle', 'ignore_changes'];
      (manifest.list(...at) ?? []).forEach((path, index) => {
        const problem = typeof path === 'string' ? pathProblem(path, manifest.schema) : undefined;
        if (problem !== undefined) report(manifest, [...at, index], problem);
      });
    }
  },
};

function pathProblem(text: string, schema: SchemaNode): Problem | undefined {
  const wrong = (message: string, hint?: string): Problem => ({ code: 'ignored-path', message, hint });
  const spec = schemaAt(schema, ['spec']);
  const allowed = TOP.filter((field) => Object.hasOwn(spec.properties ?? {}, field));
  if (allowed.includes(text)) return undefined;
  const [root, ...rest] = text.split('.');
  if (root !== 'config' || rest.length === 0) {
    const list = `config.…, ${allowed.join(', ')}`;
    return wrong(`${JSON.stringify(text)} cannot be ignored`, didYouMean(text, allowed) ?? `one of ${list}`);
  }
  let parent = childSchema(spec, 'config');
  for (const [index, segment] of rest.entries()) {
    if (segment === '' || /[[\]]/.test(segment))
      return wrong(`${JSON.stringify(text)} is not a path of field names`, 'name the whole list');
    if (parent.type === 'array')
      return wrong(
        `${text} leads into a list`,
        `name the whole list: config.${rest.slice(0, index).join('.')}`,
      );
    const child = childSchema(parent, segment);
    if (child === UNKNOWN) {
      const near = didYouMean(segment, Object.keys(parent.properties ?? {}));
      return wrong(`${text} is not a field: there is no ${segment}`, near);
    }
    parent = child;
  }
  return undefined;
}
