/**
 * The form of a manifest schema for editors. A manifest may be partial (what it extends adds the rest), its values may be
 * references to variables, addresses may be names from a wallet book, and null removes.
 */
const REFERENCE = { type: 'string', pattern: '\\$\\{' };
const REMOVABLE =
  '^(?:(?:sniper|copy-trade|transfer-snipe)/[a-z0-9-]{1,24}|(?:sniper-template|copy-trade-template|label)/.+)$';
const WALLET_NAME = { type: 'string', pattern: '^[a-z0-9-]{1,24}$' };
const CHECKS = [
  'type',
  'pattern',
  'enum',
  'const',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'maxLength',
];

export function authoring(schema, kind) {
  const spec = schema.properties.spec;
  if (kind === 'WalletBook') return withSpec(schema, walletsOf(spec));
  if (kind === 'Removal') return withSpec(schema, addressesOf(spec));
  if (spec.properties?.config === undefined && spec.properties?.task === undefined) return schema;
  return withSpec(schema, looseSpec(spec));
}

/** No field is required, and null removes. */
export function partialConfig(config) {
  return open(config, true);
}

function withSpec(schema, spec) {
  return { ...schema, properties: { ...schema.properties, spec } };
}

function looseSpec({ required, properties, ...rest }) {
  const loosened = Object.entries(properties).map(([key, value]) => [key, looseField(key, value)]);
  return {
    ...rest,
    required: required.filter((key) => key !== 'config'),
    properties: Object.fromEntries(loosened),
  };
}

function looseField(key, value) {
  if (key === 'for' || key === 'rows') return value;
  if (key === 'config') return partialConfig(value);
  if (key !== 'task') return open(value);
  const { metadata, spec } = value.properties;
  return { ...value, properties: { metadata: open(metadata), spec: looseSpec(spec) } };
}

function walletsOf(spec) {
  const { wallets } = spec.properties;
  const { description, properties, required, additionalProperties, ...address } =
    wallets.additionalProperties;
  const entry = {
    description,
    anyOf: [
      { ...address, type: 'string' },
      REFERENCE,
      {
        type: 'object',
        additionalProperties,
        required,
        properties: mapped(properties, (child) => open(child)),
      },
    ],
  };
  return {
    ...spec,
    properties: { ...spec.properties, wallets: { ...wallets, additionalProperties: entry } },
  };
}

/** The reader reports a wrong address in its own words. An editor has the pattern. */
function addressesOf(spec) {
  const { resources } = spec.properties;
  const { description, ...item } = resources.items;
  const items = { description, anyOf: [{ ...item, pattern: REMOVABLE }, REFERENCE] };
  return { ...spec, properties: { ...spec.properties, resources: { ...resources, items } } };
}

function mapped(properties, change) {
  return Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, change(child)]));
}

/** A copy in which every scalar may also be a reference. With `partly`, nothing is required and null removes. */
function open(node, partly = false) {
  if (typeof node !== 'object' || node === null || node.$ref !== undefined || node['x-scalar'] === true)
    return node;
  if (node.type === 'object') return openObject(node, partly);
  if (node.type === 'array')
    return { ...node, items: open(node.items), ...(partly ? { type: ['array', 'null'] } : {}) };
  const checks = Object.fromEntries(CHECKS.filter((key) => key in node).map((key) => [key, node[key]]));
  if (Object.keys(checks).length === 0) return node;
  const rest = Object.fromEntries(Object.entries(node).filter(([key]) => !CHECKS.includes(key)));
  const wallet = node['x-address'] === true ? [WALLET_NAME] : [];
  return { ...rest, anyOf: [checks, REFERENCE, ...wallet, ...(partly ? [{ type: 'null' }] : [])] };
}

function openObject({ required, ...node }, partly) {
  const more = node.additionalProperties;
  return {
    ...node,
    ...(required === undefined || partly ? {} : { required }),
    ...(node.properties === undefined
      ? {}
      : { properties: mapped(node.properties, (child) => open(child, partly)) }),
    ...(typeof more === 'object' ? { additionalProperties: open(more, partly) } : {}),
    ...(partly ? { type: ['object', 'null'] } : {}),
  };
}
