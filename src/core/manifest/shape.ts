import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { nearest } from '../diagnostics/suggest.ts';
import { manifestValidators, type ValidationError } from '../model/generated/validators.js';
import { isObject, type Json } from '../model/json.ts';
import { amountProblem } from './amounts.ts';
import type { Manifest } from './manifest.ts';
import { type SchemaNode, schemaAt } from './schema.ts';
import { type ShapeFinding, unknownField, wrongType } from './shape-words.ts';
import { formatPath, type Path, valueBelow } from './spans.ts';

/** Decides which of several findings about one value is reported. */
const WEIGHT: Readonly<Record<string, number>> = { type: 0, const: 1, enum: 1, pattern: 2 };

/** Every way in which the value of a manifest differs from the shape of its kind. Lazy, because there can be many. */
export function* checkShape(manifest: Manifest): Iterable<ShapeFinding> {
  const { schemaId, schema, value: root } = manifest;
  const validate = manifestValidators[schemaId];
  if (validate === undefined || validate(root)) return;
  const byValue = new Map<string, ValidationError>();
  for (const error of validate.errors ?? []) {
    const path = () => pathOf(root, error.instancePath);
    if (error.keyword === 'additionalProperties') {
      yield unknownField(path(), String(error.params.additionalProperty), schema);
    } else if (error.keyword === 'required') {
      yield missingField(path(), String(error.params.missingProperty), schema, valueBelow(root, path()));
    } else if (error.keyword === 'propertyNames') {
      yield badName([...path(), String(error.params.propertyName)]);
    } else if (error.keyword !== 'uniqueItems' && !error.schemaPath.includes('/propertyNames/')) {
      const known = byValue.get(error.instancePath);
      if (known === undefined || weight(error) < weight(known)) byValue.set(error.instancePath, error);
    }
  }
  for (const error of byValue.values()) {
    const path = pathOf(root, error.instancePath);
    yield valueFinding(error, path, valueBelow(root, path), schemaAt(schema, path), (at) =>
      manifest.sourceText(at),
    );
  }
}

/** Diagnostics of findings about values that have none yet. */
export function reportShape(manifest: Manifest, findings: readonly ShapeFinding[]): readonly Diagnostic[] {
  return findings.flatMap((finding) => {
    const ofValue = finding.on === 'value' || finding.code === 'missing-field';
    if (ofValue && manifest.isDiagnosed(finding.path)) return [];
    const diagnostic = manifest.diagnostic(finding.path, finding, finding.on);
    if (finding.on === 'value') manifest.places.markDiagnosed(finding.path);
    return [diagnostic];
  });
}

function weight(error: ValidationError): number {
  return WEIGHT[error.keyword] ?? 3;
}

/** Segments of a JSON pointer, with list positions as numbers. */
export function pathOf(root: Json, pointer: string): Path {
  let value: Json | undefined = root;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      const segment = Array.isArray(value) ? Number(key) : key;
      value = valueBelow(value, [segment]);
      return segment;
    });
}

function missingField(path: Path, field: string, schema: SchemaNode, parent: Json | undefined): ShapeFinding {
  const where = path.length === 0 ? 'the manifest' : formatPath(path);
  const slip = nearest(field, strangersIn(parent, schemaAt(schema, path)));
  const { description, const: only } = schemaAt(schema, [...path, field]);
  const hint = description === undefined ? undefined : `${field}: ${description}`;
  return {
    path,
    missing: field,
    on: 'key',
    code: 'missing-field',
    message: `${where} has no ${field}`,
    hint:
      slip !== undefined
        ? `write ${field} for ${slip}`
        : only === undefined
          ? hint
          : `write ${field}: ${String(only)}`,
  };
}

/** Fields that the schema lacks. One of them may be meant for a missing field. */
function strangersIn(value: Json | undefined, { properties = {} }: SchemaNode): readonly string[] {
  return isObject(value) ? Object.keys(value).filter((key) => !Object.hasOwn(properties, key)) : [];
}

function badName(path: Path): ShapeFinding {
  return {
    path,
    on: 'key',
    code: 'invalid-name',
    message:
      /^(?:variables|rows)$/.test(String(path.at(-2))) || typeof path.at(-2) === 'number'
        ? `the name ${String(path.at(-1))} must be a small letter, then a-z, 0-9, _ and -, at most 40 characters`
        : `the name ${String(path.at(-1))} must be 1 to 24 characters of a-z, 0-9 and -`,
  };
}

function valueFinding(
  error: ValidationError,
  path: Path,
  value: Json | undefined,
  schema: SchemaNode,
  sourceOf: (path: Path) => string,
): ShapeFinding {
  const name = formatPath(path);
  const at = { path, on: 'value' } as const;
  if (error.keyword === 'type') return { ...at, ...wrongType(name, value, schema, sourceOf(path)) };
  if (error.keyword === 'enum' || error.keyword === 'const')
    return { ...at, ...notAllowed(name, value, schema) };
  if (schema['x-decimal'] !== undefined) {
    const { code, message, hint } = amountProblem(String(value), schema) ?? {
      code: 'invalid-decimal',
      message: 'not an amount',
    };
    return { ...at, code, message: `${name}: ${message}`, hint: hint ?? schema.description };
  }
  if (error.keyword === 'pattern' || error.keyword === 'format')
    return { ...at, ...badForm(name, value, schema) };
  return { ...at, ...outOfRange(error, name, schema) };
}

function notAllowed(name: string, value: Json | undefined, schema: SchemaNode) {
  const allowed = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).map(String);
  const near = typeof value === 'string' ? nearest(value, allowed) : undefined;
  const list = allowed.length === 1 ? `write ${allowed[0]}` : `one of ${allowed.join(', ')}`;
  return {
    code: 'invalid-value',
    message: `${name}: ${JSON.stringify(value)} is not allowed`,
    hint: near === undefined || allowed.length === 1 ? list : `did you mean ${near}? ${list}`,
  } as const;
}

function badForm(name: string, value: Json | undefined, schema: SchemaNode) {
  const message = `${name}: ${JSON.stringify(value)} has the wrong form`;
  if (schema['x-name'] === true) {
    return {
      code: 'invalid-name',
      message: `${name}: ${JSON.stringify(value)} is not a valid name`,
      hint: nameHint(String(value), schema),
    } as const;
  }
  if (schema['x-uuid'] === true) {
    return {
      code: 'invalid-value',
      message: `${name}: ${JSON.stringify(value)} is not a valid id`,
      hint: 'copy the UUID that the service shows',
    } as const;
  }
  if (schema['x-duration'] === true && /^[0-9]+$/.test(String(value)))
    return { code: 'invalid-value', message, hint: `write ${value}s` } as const;
  return { code: 'invalid-value', message, hint: schema.description } as const;
}

/** People often write the name that the web application shows. */
function nameHint(value: string, { description, pattern }: SchemaNode): string | undefined {
  const name = value
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  if (pattern === undefined || !new RegExp(pattern).test(name)) return description;
  return ['did you mean ', name, '?', ...(description === undefined ? [] : [' ', description])].join('');
}

const THINGS: Readonly<Record<string, string>> = { Items: 'item', Properties: 'field', Length: 'character' };

function outOfRange({ keyword, params, message }: ValidationError, name: string, schema: SchemaNode) {
  const thing = THINGS[keyword.slice(3)];
  const things = Number(params.limit) === 1 ? thing : `${thing}s`;
  const bound = `at ${keyword.startsWith('min') ? 'least' : 'most'} ${params.limit} ${things}`;
  const wanted = thing === undefined ? (message ?? 'not valid') : bound;
  return { code: 'out-of-range', message: `${name}: ${wanted}`, hint: schema.description } as const;
}
