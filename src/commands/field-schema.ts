import {
  childSchema,
  FOREIGN,
  KIND_NAMES,
  kindSchema,
  purposesOf,
  type SchemaNode,
  schemaId,
} from '../manifest/schema.ts';
import { parsePath } from '../manifest/spans.ts';
import { didYouMean } from '../manifest/suggest.ts';
import { KINDS } from '../model/kind.ts';
import { usage } from './usage-error.ts';

/** A field of a manifest kind, found by its path. */
export interface Field {
  /** `SniperTask.spec.config.buy_amount`: the kind as manifests write it. */
  readonly path: string;
  /** `spec.for`, of kinds that have one. */
  readonly purpose?: string;
  readonly schema: SchemaNode;
  /** Undefined for the manifest itself and for items of lists. */
  readonly required?: boolean;
}

/** Finds `KIND.FIELD…`; a kind is also meant by its collection (`sniper`). Fails (exit 3) with what there is instead. */
export function findField(text: string): Field {
  const [first = '', ...path] = parsePath(text).map(String);
  const kind = kindCalled(first);
  if (kind === undefined) {
    const names = [...KIND_NAMES, ...KINDS.map(({ collection }) => collection)];
    throw usage(
      `a path begins with a kind, and there is no kind ${JSON.stringify(first)}`,
      `${didYouMean(first, names)?.replace(/^d/, 'D') ?? ''} The kinds are ${KIND_NAMES.join(', ')}.`.trim(),
    );
  }
  const purposes = purposesOf(kind);
  const found = (purposes.length === 0 ? [undefined] : purposes).map((purpose) => walk(kind, purpose, path));
  const field = found.find((one) => 'schema' in one) ?? found[0];
  if (field === undefined) throw new Error(`no schema for ${kind}`);
  if ('schema' in field) return field;
  throw usage(field.message, field.hint);
}

function kindCalled(text: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/g, '');
  const collection = KINDS.find((kind) => kind.collection === text)?.manifestKind;
  return collection ?? KIND_NAMES.find((name) => plain(name) === plain(text));
}

interface Missing {
  readonly message: string;
  readonly hint: string;
}

function walk(kind: string, purpose: string | undefined, path: readonly string[]): Field | Missing {
  let schema = kindSchema(schemaId(kind, purpose) ?? '') ?? FOREIGN;
  let shown = kind;
  let required: boolean | undefined;
  for (const segment of path) {
    const index = /^\d+$/.test(segment) && schema.type === 'array';
    // The fields of a list’s items may be written without an index.
    const parent = schema.type === 'array' && !index ? childSchema(schema, 0) : schema;
    const child = childSchema(parent, index ? Number(segment) : segment);
    if (child === FOREIGN) return missing(shown, segment, parent);
    required = index ? undefined : parent.required?.includes(segment) === true;
    shown = index ? `${shown}[${segment}]` : `${shown}.${segment}`;
    schema = child;
  }
  return {
    path: shown,
    ...(purpose === undefined ? {} : { purpose }),
    schema,
    ...(required === undefined ? {} : { required }),
  };
}

function missing(parent: string, segment: string, schema: SchemaNode): Missing {
  const names = Object.keys(schema.properties ?? {});
  const list = names.length === 0 ? 'It has no fields.' : `It has ${names.join(', ')}.`;
  const near = didYouMean(segment, names)?.replace(/^d/, 'D');
  return {
    message: `${parent} has no field ${segment}`,
    hint: near === undefined ? list : `${near} ${list}`,
  };
}
