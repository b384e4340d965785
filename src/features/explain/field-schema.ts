import { usage } from '../../diagnostics/diagnostic.ts';
import {
  childSchema,
  KIND_NAMES,
  kindSchema,
  purposesOf,
  type SchemaNode,
  schemaId,
  UNKNOWN,
} from '../../manifest/schema.ts';
import { parsePath } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { KINDS } from '../../model/kind.ts';

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

/**
 * Finds `KIND.FIELD…`. A kind may also be named by its collection (`sniper`). For a kind with `for`, there is one field for each
 * kind of task that has it. Fails (exit 3) with the existing fields.
 */
export function findFields(text: string): readonly [ManifestField, ...ManifestField[]] {
  const [first = '', ...path] = parsePath(text).map(String);
  const kind = kindCalled(first);
  if (kind === undefined) {
    const names = [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
    throw usage(
      `a path starts with a kind; unknown kind ${JSON.stringify(first)}`,
      `${didYouMean(first, names)?.replace(/^d/, 'D') ?? ''} The kinds are ${KIND_NAMES.join(', ')}.`.trim(),
    );
  }
  const results = walkAll(kind, path);
  const [field, ...others] = results.filter((one): one is ManifestField => 'schema' in one);
  if (field !== undefined) return [field, ...others];
  const [missing] = results.filter((one): one is Missing => 'depth' in one);
  if (missing === undefined) throw usage(`no schema for ${kind}`, '');
  const { parent, names, depth } = missing;
  const segment = path[depth] ?? '';
  const meant = withParents(kind, path, depth)?.replace(kind, first);
  const near =
    meant === undefined ? didYouMean(segment, names)?.replace(/^d/, 'D') : `Did you mean ${meant}?`;
  const list = names.length === 0 ? 'It has no fields.' : `Its fields are ${names.join(', ')}.`;
  throw usage(`${parent} has no field ${segment}`, near === undefined ? list : `${near} ${list}`);
}

/** Parents that users often leave out. */
const PARENTS: readonly (readonly string[])[] = [['spec'], ['config'], ['spec', 'config'], ['metadata']];

/** The path with these parents inserted before the missing field, as far as the result exists. */
function withParents(kind: string, path: readonly string[], depth: number): string | undefined {
  for (let end = path.length; end > depth; end -= 1) {
    for (const parents of PARENTS) {
      const longer = [...path.slice(0, depth), ...parents, ...path.slice(depth, end)];
      const field = walkAll(kind, longer).find((one) => 'schema' in one);
      if (field !== undefined) return field.path;
    }
  }
  return undefined;
}

/** The schema of the items, also if the value may be a list or something else. Undefined without items. */
export function itemSchema(schema: SchemaNode): SchemaNode | undefined {
  return schema.items === undefined ? undefined : childSchema({ type: 'array', items: schema.items }, 0);
}

/** True for the possible start of a path: a kind as in manifests, or its collection. */
export function isKind(text: string): boolean {
  return kindCalled(text) !== undefined;
}

function kindCalled(text: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
  const collection = KINDS.find((kind) => kind.collection === text)?.manifestKind;
  return collection ?? KIND_NAMES.find((name) => plain(name) === plain(text));
}

interface Missing {
  /** The last existing field of the path. */
  readonly parent: string;
  /** The fields below it. */
  readonly names: readonly string[];
  /** How many segments of the path lead to it. */
  readonly depth: number;
}

/** For each kind of task that the kind can be `for`. */
function walkAll(kind: string, path: readonly string[]): readonly (ManifestField | Missing)[] {
  const purposes = purposesOf(kind);
  return (purposes.length === 0 ? [undefined] : purposes).map((purpose) => walk(kind, purpose, path));
}

function walk(kind: string, purpose: string | undefined, path: readonly string[]): ManifestField | Missing {
  let schema = kindSchema(schemaId(kind, purpose) ?? '') ?? UNKNOWN;
  let shown = kind;
  let required: boolean | undefined;
  let among: string | undefined;
  for (const [depth, segment] of path.entries()) {
    const items = itemSchema(schema);
    const index = /^\d+$/.test(segment) && items !== undefined;
    const own = index ? UNKNOWN : childSchema(schema, segment);
    // The index may be left out in the path of a list item's field.
    const parent = own === UNKNOWN && items !== undefined ? items : schema;
    const child = index ? items : own === UNKNOWN ? childSchema(parent, segment) : own;
    if (child === UNKNOWN) return { parent: shown, names: namesOf(parent), depth };
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

function namesOf({ properties = {} }: SchemaNode): readonly string[] {
  return Object.keys(properties);
}
