/**
 * Turns a definition of schemas/service.schema.json into a part of a manifest schema: fields with a documented default may be left
 * out, and amounts are strings (strict) or also plain numbers (editors).
 */

export const BASE_ID = 'https://tradeform.dev/schemas/';
const STRICT_ID = `${BASE_ID}strict.schema.json`;

/** A reference to `strictDefinitions`. */
export function strictly(name) {
  return { $ref: `${STRICT_ID}#/definitions/${name}` };
}

/** The definitions that strict manifest schemas refer to. */
export function strictDefinitions(service) {
  const convert = (schema) => {
    if (Array.isArray(schema)) return schema.map(convert);
    if (typeof schema !== 'object' || schema === null) return schema;
    const own = optionalDefaults(schema, (name) => service.definitions[name]);
    const result = mapped(own, convert);
    return result['x-decimal'] === undefined || result.$ref !== undefined ? result : decimal(result);
  };
  return { $id: STRICT_ID, definitions: convert(service.definitions) };
}

/**
 * Resolves a definition of the service schema and everything that it refers to, so that no `$ref` has siblings (draft-07 ignores
 * them).
 */
export function inliner(service) {
  const resolve = (schema) => {
    if (Array.isArray(schema)) return schema.map(resolve);
    if (typeof schema !== 'object' || schema === null) return schema;
    if (typeof schema.$ref === 'string') {
      const { $ref, ...siblings } = schema;
      return resolve({ ...service.definitions[nameOf($ref)], ...siblings });
    }
    const own = optionalDefaults(schema, (name) => service.definitions[name]);
    const result = mapped(own, resolve);
    return result['x-decimal'] === undefined ? result : editorDecimal(decimal(result));
  };
  return (name) => resolve({ $ref: `#/definitions/${name}` });
}

/** What an amount is for and what it costs says nothing about its form. */
const MONEY = new Set(['x-role', 'x-route', 'x-cost']);

function mapped(schema, change) {
  const kept = Object.entries(schema).filter(([key]) => !MONEY.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, change(value)]));
}

function nameOf(reference) {
  return reference.replace('#/definitions/', '');
}

/** The full config is always sent, so a field with a documented default may be left out of a manifest. */
function optionalDefaults(schema, definition) {
  const { properties, required } = schema;
  if (properties === undefined || required === undefined || !Array.isArray(required)) return schema;
  const hasDefault = (field) =>
    (field?.$ref === undefined ? field : { ...definition(nameOf(field.$ref)), ...field })?.default !==
    undefined;
  return { ...schema, required: required.filter((key) => !hasDefault(properties[key])) };
}

/** Some people read `007` as an octal number, so a manifest writes each amount in only one way. */
function decimal({ pattern, ...schema }) {
  return { ...schema, pattern: pattern.replace(/^\^/, '^(?!0[0-9])') };
}

function editorDecimal(schema) {
  const range = schema['x-decimal'];
  return {
    ...schema,
    type: ['string', 'number'],
    ...(range.above === undefined
      ? { minimum: Number(range.min ?? 0) }
      : { exclusiveMinimum: Number(range.above) }),
    ...(range.max === undefined ? {} : { maximum: Number(range.max) }),
  };
}
