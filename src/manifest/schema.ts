import schemas from '../../schemas/manifest/manifest.schema.json' with { type: 'json' };
import type { Json } from '../model/json.ts';

/** The part of JSON Schema that the manifest schemas use, with its annotations (schemas/generator/manifests.mjs). */
export interface SchemaNode {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly items?: SchemaNode;
  readonly uniqueItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly 'x-decimal'?: DecimalRange;
  readonly 'x-unit'?: string;
  readonly 'x-address'?: boolean;
  readonly 'x-set'?: boolean;
  readonly 'x-open'?: boolean;
  readonly 'x-text'?: boolean;
  readonly 'x-name'?: boolean;
  readonly 'x-uuid'?: boolean;
  readonly pattern?: string;
  readonly 'x-duration'?: boolean;
}

export interface DecimalRange {
  readonly min?: string;
  readonly max?: string;
  /** The value must be greater than this. */
  readonly above?: string;
  /** The empty string is allowed: it disables the bound. */
  readonly empty?: boolean;
}

const DEFINITIONS = schemas.definitions as unknown as Readonly<Record<string, SchemaNode>>;
const REFERENCE = '#/definitions/';

/** `kind:` of every manifest that tradeform knows, the project file included. */
export const KIND_NAMES: readonly string[] = schemas.properties.kind.enum;

export function kindSchema(kind: string): SchemaNode | undefined {
  return KIND_NAMES.includes(kind) ? DEFINITIONS[kind] : undefined;
}

/** A place whose type the interface does not show; whatever stands there passes through. */
export const OPEN: SchemaNode = {};
/** A place that the schema does not have at all; what stands there is not looked at further. */
export const FOREIGN: SchemaNode = {};

/** The schema of a field, list item or map entry. */
export function childSchema(parent: SchemaNode, key: string | number): SchemaNode {
  if (parent === OPEN || parent === FOREIGN) return parent;
  if (typeof key === 'number') return isList(parent) ? resolved(parent.items ?? OPEN) : FOREIGN;
  const { properties, additionalProperties } = parent;
  if (properties !== undefined && Object.hasOwn(properties, key)) return resolved(properties[key] ?? FOREIGN);
  if (typeof additionalProperties === 'object') return resolved(additionalProperties);
  return additionalProperties === true ? OPEN : FOREIGN;
}

/** A reference has no siblings, so its target is all of it. */
function resolved(schema: SchemaNode): SchemaNode {
  return schema.$ref === undefined ? schema : (DEFINITIONS[schema.$ref.slice(REFERENCE.length)] ?? FOREIGN);
}

function isList(schema: SchemaNode): boolean {
  return schema.type === 'array';
}

/** The schema at a path below `schema`. */
export function schemaAt(schema: SchemaNode, path: readonly (string | number)[]): SchemaNode {
  return path.reduce<SchemaNode>(childSchema, schema);
}
