import type { Manifest } from '../../manifest/manifest.ts';
import { anywhereBelow, childSchema, type SchemaNode, schemaAt } from '../../manifest/schema.ts';
import type { Path } from '../../manifest/spans.ts';
import { nearest } from '../../manifest/suggest.ts';
import { isObject, type Json } from '../../model/json.ts';
import { CONFIG } from '../rules/rule.ts';
import { type ConfigLint, configField, type LintReport } from './lint.ts';

/**
 * Fields of the sell-side objects that the interface does not document. They are sent unchanged, and so are typing errors.
 * Nothing below such a field is examined, and no item of an undocumented shape.
 */
export const unshownField: ConfigLint = {
  code: 'unshown-field',
  of: ['sniperConfig', 'copyTradeConfig'],
  check({ manifest, config }, report) {
    const tell = (path: Path, names: readonly string[]) => say(manifest, path, names, report);
    look([...CONFIG], config, schemaAt(manifest.schema, CONFIG), tell);
  },
};

const holdsOpen = anywhereBelow((schema) => schema.properties !== undefined && schema['x-open'] === true);

/** `path` is the path of the value. It is restored before the function returns. */
function look(
  path: (string | number)[],
  value: Json,
  schema: SchemaNode,
  tell: (path: Path, names: readonly string[]) => void,
): void {
  if (!holdsOpen(schema)) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      path.push(index);
      look(path, value[index] ?? null, childSchema(schema, index), tell);
      path.pop();
    }
    return;
  }
  const { properties } = schema;
  if (!isObject(value) || properties === undefined) return;
  for (const key of Object.keys(value)) {
    const known = Object.hasOwn(properties, key);
    const child = value[key];
    path.push(key);
    // Most values are scalars, with nothing below them.
    if (known && typeof child === 'object') look(path, child, childSchema(schema, key), tell);
    if (!known && schema['x-open'] === true) tell([...path], unused(properties, value));
    path.pop();
  }
}

/** A field that is present as well cannot be the intended one. */
function unused(properties: object, value: object): readonly string[] {
  return Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
}

function say(manifest: Manifest, path: Path, names: readonly string[], report: LintReport): void {
  const near = nearest(String(path.at(-1)), names);
  const keep = 'if you know that the service accepts it, say so in an annotation';
  report(
    manifest,
    path,
    `the service does not document a field ${configField(path)}: it is sent unchanged, and may have no effect`,
    near === undefined ? `check the spelling; ${keep}` : `did you mean ${near}? ${keep}`,
  );
}
