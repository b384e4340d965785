import type { Manifest } from '../../manifest/manifest.ts';
import { childSchema, FOREIGN, OPEN, type SchemaNode } from '../../manifest/schema.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { canonicalJson, isObject, type Json } from '../../model/json.ts';
import type { Report, Rule } from './rule.ts';

/** Lists that are sets hold nothing twice: DEXes, linked wallets, blacklists, ignored paths. */
export const uniqueItems: Rule = {
  name: 'unique-items',
  check({ manifests }, report) {
    for (const manifest of manifests) visit(manifest, manifest.value, manifest.schema, [], report);
  },
};

function visit(manifest: Manifest, value: Json, schema: SchemaNode, path: Path, report: Report): void {
  if (schema === OPEN || schema === FOREIGN) return;
  if (isObject(value)) {
    for (const [key, child] of Object.entries(value))
      visit(manifest, child, childSchema(schema, key), [...path, key], report);
    return;
  }
  if (!Array.isArray(value)) return;
  if (schema['x-set'] === true || schema.uniqueItems === true) checkSet(manifest, value, path, report);
  value.forEach((item, index) => {
    visit(manifest, item, childSchema(schema, index), [...path, index], report);
  });
}

function checkSet(manifest: Manifest, items: readonly Json[], path: Path, report: Report): void {
  const first = new Map<string, number>();
  items.forEach((item, index) => {
    const key = canonicalJson(item);
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, index);
      return;
    }
    report(manifest, [...path, index], {
      code: 'duplicate-item',
      message: `${key} stands twice in ${formatPath(path)}`,
      hint: `remove one; it is item ${earlier + 1} too`,
    });
  });
}
