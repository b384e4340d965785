import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { anywhereBelow, childSchema, type SchemaNode } from '../../manifest/schema.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { canonicalJson, isObject, type Json } from '../../model/json.ts';
import { type ReportAt, type Rule, where } from './rule.ts';

interface Unique {
  readonly name: string;
  readonly path: Path;
  readonly code: Problem['code'];
  /** "manifests have the id". */
  readonly what: string;
  /** A value of the manifest that no other manifest may have. Undefined if the manifest has none that counts. */
  of(manifest: Manifest): string | undefined;
}

function unique({ name, path, code, what, of }: Unique): Rule {
  return {
    name,
    check({ manifests }, report) {
      const first = new Map<string, Manifest>();
      for (const manifest of manifests) {
        const value = of(manifest);
        if (value === undefined) continue;
        const other = first.get(value);
        const hint = other && `the other one is at ${where(other, path)}`;
        if (hint === undefined) first.set(value, manifest);
        else report(manifest, path, { code, message: `two ${what} ${value}`, hint });
      }
    },
  };
}

/** Names are unique within a kind. */
export const uniqueNames = unique({
  name: 'unique-names',
  path: ['metadata', 'name'],
  code: 'duplicate-name',
  what: 'manifests have the address',
  of: ({ address }) => address,
});

/** An id names one resource, so only one manifest may name it. */
export const uniqueIds = unique({
  name: 'unique-ids',
  path: ['metadata', 'id'],
  code: 'duplicate-id',
  what: 'manifests have the id',
  of: (manifest) => manifest.text('metadata', 'id')?.toLowerCase(),
});

/** One copy-trade task for each target: the service answers `target_already_exists` to a second one. */
export const uniqueTargets = unique({
  name: 'unique-targets',
  path: ['spec', 'target_wallet'],
  code: 'duplicate-target',
  what: 'copy-trade tasks have the target wallet',
  of: (manifest) =>
    manifest.kind?.family === 'task' && manifest.kind.uniqueTarget
      ? manifest.text('spec', 'target_wallet')
      : undefined,
});

/** Lists that are sets contain nothing twice: DEXes, linked wallets, blacklists, ignored paths. */
export const uniqueItems: Rule = {
  name: 'unique-items',
  check({ manifests }, report) {
    for (const manifest of manifests) new Visit(manifest, report).value(manifest.value, manifest.schema);
  },
};

const isSet = (schema: SchemaNode) => schema['x-set'] === true || schema.uniqueItems === true;
const holdsSet = anywhereBelow(isSet);

class Visit {
  readonly #manifest: Manifest;
  readonly #report: ReportAt;
  readonly #path: (string | number)[] = [];

  constructor(manifest: Manifest, report: ReportAt) {
    this.#manifest = manifest;
    this.#report = report;
  }

  value(value: Json, schema: SchemaNode): void {
    if (Array.isArray(value)) {
      if (isSet(schema)) this.#set(value);
      if (!holdsSet(childSchema(schema, 0))) return;
      for (let index = 0; index < value.length; index += 1) this.#child(value[index] ?? null, schema, index);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) this.#child(value[key] ?? null, schema, key);
    }
  }

  #child(value: Json, parent: SchemaNode, key: string | number): void {
    if (typeof value !== 'object') return;
    const schema = childSchema(parent, key);
    if (!holdsSet(schema)) return;
    this.#path.push(key);
    this.value(value, schema);
    this.#path.pop();
  }

  #set(items: readonly Json[]): void {
    if (new Set(items).size === items.length && items.every((item) => typeof item !== 'object')) return;
    const first = new Map<string, number>();
    items.forEach((item, index) => {
      const key = canonicalJson(item);
      const earlier = first.get(key);
      if (earlier === undefined) {
        first.set(key, index);
        return;
      }
      this.#report(this.#manifest, [...this.#path, index], {
        code: 'duplicate-item',
        message: `${key} appears twice in ${formatPath(this.#path)}`,
        hint: `remove one of them; the other is item ${earlier + 1}`,
      });
    });
  }
}
