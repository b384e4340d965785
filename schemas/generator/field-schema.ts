import {
  childSchema,
  kindSchema,
  purposesOf,
  type SchemaNode,
  schemaId,
  UNKNOWN,
} from '../../src/core/manifest/schema.ts';
import { parsePath } from '../../src/core/manifest/spans.ts';

/** A field of a manifest kind, found by its path. */
export interface ManifestField {
  /** `SniperTask.spec.config.buy_amount`: the kind as in manifests. */
  readonly path: string;
  /** `spec.for`, if the kind has it. */
  readonly purpose?: string;
  readonly schema: SchemaNode;
  /** Undefined for the manifest itself and for list items. */
  readonly required?: boolean;
  /** The description of the surrounding list or map, if the field has none. */
  readonly among?: string;
}

/** Finds `KIND.FIELD…`. For a kind with `for`, there is one field for each kind of task that has it. */
export function findFields(text: string): readonly [ManifestField, ...ManifestField[]] {
  const [kind = '', ...path] = parsePath(text).map(String);
  const purposes = purposesOf(kind);
  const results = (purposes.length === 0 ? [undefined] : purposes).map((purpose) =>
    walk(kind, purpose, path),
  );
  const [field, ...others] = results.filter((one) => one !== undefined);
  if (field === undefined) throw new Error(`no schema has ${text}`);
  return [field, ...others];
}

/** The schema of the items, also if the value may be a list or something else. Undefined without items. */
export function itemSchema(schema: SchemaNode): SchemaNode | undefined {
  return schema.items === undefined ? undefined : childSchema({ type: 'array', items: schema.items }, 0);
}

function walk(kind: string, purpose: string | undefined, path: readonly string[]): ManifestField | undefined {
  let schema = kindSchema(schemaId(kind, purpose) ?? '') ?? UNKNOWN;
  let shown = kind;
  let required: boolean | undefined;
  let among: string | undefined;
  for (const segment of path) {
    const items = itemSchema(schema);
    const index = /^\d+$/.test(segment) && items !== undefined;
    const own = index ? UNKNOWN : childSchema(schema, segment);
    // The index may be left out in the path of a list item's field.
    const parent = own === UNKNOWN && items !== undefined ? items : schema;
    const child = index ? items : own === UNKNOWN ? childSchema(parent, segment) : own;
    if (child === UNKNOWN) return undefined;
    const named = parent.properties !== undefined && Object.hasOwn(parent.properties, segment);
    required = index || !named ? undefined : parent.required?.includes(segment) === true;
    among = index ? schema.description : named ? undefined : parent.description;
    shown = index ? `${shown}[${segment}]` : `${shown}.${segment}`;
    schema = child;
  }
  return {
    path: shown,
    ...(purpose === undefined ? {} : { purpose }),
    schema,
    ...(required === undefined ? {} : { required }),
    ...(among === undefined ? {} : { among }),
  };
}
