import { childSchema, type SchemaNode } from '../../src/core/manifest/schema.ts';
import { factsOf } from './field-facts.ts';
import { itemSchema, type ManifestField } from './field-schema.ts';

/** The fields of a map with free keys. */
const ANY = '<name>';

/** A field in the form for some kinds of task, with everything below it. */
export interface FieldForm {
  readonly field: ManifestField;
  /** Empty for kinds without a kind of task. */
  readonly purposes: readonly string[];
  readonly below: readonly Child[];
}

/** Fields with equal documentation are one form. `for` has a different value in each kind of task, which makes no separate form. */
export function formsOf(
  fields: readonly [ManifestField, ...ManifestField[]],
): readonly [FieldForm, ...FieldForm[]] {
  const purposes = fields.flatMap(({ purpose }) => purpose ?? []);
  const forms = new Map<
    string,
    { field: ManifestField; purposes: readonly string[]; below: readonly Child[] }
  >();
  for (const each of fields) {
    const field = { ...each, schema: generalised(each.schema, purposes) };
    const below = fieldsBelow(field.schema).map((child) =>
      child.name === 'for' ? { ...child, schema: generalised(child.schema, purposes) } : child,
    );
    const key = JSON.stringify([factsOf(field), below.map((child) => [child.name, factsOf(child)])]);
    const known = forms.get(key);
    const mine = each.purpose === undefined ? [] : [each.purpose];
    forms.set(key, { field, below, purposes: [...(known?.purposes ?? []), ...mine] });
  }
  const [first, ...others] = forms.values();
  if (first === undefined) throw new Error('a field has no form');
  return [first, ...others];
}

/** In each schema `for` has only one value. For the author of a manifest, it is one of several. */
function generalised(schema: SchemaNode, purposes: readonly string[]): SchemaNode {
  if (typeof schema.const !== 'string' || !purposes.includes(schema.const)) return schema;
  const { const: _const, description = '', ...rest } = schema;
  return { ...rest, description: description.replace(/; here \w+\.$/, '.'), enum: purposes };
}

export interface Child {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly required?: boolean;
  readonly among?: string;
}

/** The fields of a mapping or of list items. For a map with free keys, the value below each key. */
function fieldsBelow(schema: SchemaNode): readonly Child[] {
  const items = itemSchema(schema);
  return [...namedBelow(schema), ...(items === undefined ? [] : namedBelow(items))];
}

function namedBelow(schema: SchemaNode): readonly Child[] {
  const named = Object.keys(schema.properties ?? {}).map((name) => ({
    name,
    schema: childSchema(schema, name),
    required: schema.required?.includes(name) === true,
  }));
  // A mapping that takes anything and names some of it: fields of the service that it does not document.
  const isOpen = schema.additionalProperties === true && named.length > 0;
  if (typeof schema.additionalProperties !== 'object' && !isOpen) return named;
  const { description: among } = schema;
  return [
    ...named,
    { name: ANY, schema: childSchema(schema, ANY), ...(among === undefined ? {} : { among }) },
  ];
}
