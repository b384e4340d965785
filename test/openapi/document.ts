import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/model/json.ts';

/** The committed document, and its operations with every reference of their own resolved. */

const ROOT = join(import.meta.dirname, '../..');

export const DOCUMENT_TEXT = readFileSync(join(ROOT, 'schemas/service.openapi.json'), 'utf8');

export function readDocument(): OpenApi {
  return JSON.parse(DOCUMENT_TEXT) as OpenApi;
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly [key: string]: unknown;
}

interface PathItem {
  readonly parameters?: readonly Reference[];
  readonly [method: string]: unknown;
}

interface Reference {
  readonly $ref?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  /** JSON pointer of the schema. */
  readonly at: string;
}

export interface Header {
  readonly name: string;
  readonly required: boolean;
  readonly at: string;
}

export interface Answer {
  readonly headers: readonly Header[];
  /** JSON pointer of the schema of the body; undefined for none. */
  readonly body: string | undefined;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly codes: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly schema: Schema; readonly at: string } | undefined;
  readonly answers: ReadonlyMap<number, Answer>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minProperties?: number;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly uniqueItems?: boolean;
  readonly 'x-decimal'?: {
    readonly min?: string;
    readonly max?: string;
    readonly above?: string;
    readonly empty?: boolean;
  };
  readonly 'x-address'?: boolean;
  readonly 'x-set'?: boolean;
}

const METHODS = ['get', 'post', 'patch', 'delete'];

export function operationsOf(document: OpenApi): readonly Operation[] {
  const follow = <T>(node: T & Reference, at: string): readonly [T, string] => {
    if (node.$ref === undefined) return [node, at];
    return [valueAt(document, node.$ref) as T, node.$ref];
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method): Operation => {
      const raw = item[method] as Raw;
      const at = `#/paths/${escaped(path)}/${method}`;
      const parameters = [...(item.parameters ?? []), ...(raw.parameters ?? [])].map((node) => {
        const [parameter, place] = follow(node as Parameter & Reference, at);
        return { ...parameter, at: `${place}/schema` };
      });
      const answers = Object.entries(raw.responses).map(([status, node]): readonly [number, Answer] => {
        const [answer, place] = follow(node, `${at}/responses/${status}`);
        const headers = Object.entries(answer.headers ?? {}).map(([name, reference]) => {
          const [header, where] = follow(reference, `${place}/headers/${name}`);
          return { name: name.toLowerCase(), required: header.required === true, at: `${where}/schema` };
        });
        const body = answer.content && `${place}/content/application~1json/schema`;
        return [Number(status), { headers, body }];
      });
      const schema = raw.requestBody?.content['application/json'].schema;
      return {
        id: raw.operationId,
        method: method.toUpperCase(),
        path,
        scopes: raw['x-required-scopes'],
        codes: raw['x-error-codes'],
        parameters,
        requestBody: schema && { schema, at: `${at}/requestBody/content/application~1json/schema` },
        answers: new Map(answers),
      };
    }),
  );
}

interface Raw {
  readonly operationId: string;
  readonly parameters?: readonly Reference[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Readonly<Record<string, Reference & RawAnswer>>;
  readonly 'x-required-scopes': readonly string[];
  readonly 'x-error-codes': readonly string[];
}

interface RawAnswer {
  readonly headers?: Readonly<Record<string, Reference & { readonly required?: boolean }>>;
  readonly content?: object;
}

/** The value at a local reference such as `#/components/schemas/uuid`. */
export function valueAt(document: OpenApi, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], document);
}

function escaped(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}
