import {
  registerSchema,
  setShouldValidateFormat,
  type Validator,
  validate,
} from '@hyperjump/json-schema/openapi-3-1';
import '@hyperjump/json-schema/formats';
import { type OpenApi, type Operation, operationsOf } from './document.ts';

/**
 * Holds requests and answers against the document. The schemas are evaluated in place by @hyperjump/json-schema, an
 * implementation that shares nothing with the validators the sandbox itself is built on.
 */
export interface Judge {
  readonly operations: readonly Operation[];
  operation(id: string): Operation;
  /** What is wrong with a request; empty where the document permits it. */
  request(operation: Operation, sent: Sent): Promise<string[]>;
  /** What is wrong with an answer to the operation. */
  answer(operation: Operation, received: Received): Promise<string[]>;
}

export interface Sent {
  readonly id?: string;
  readonly query: Readonly<Record<string, string>>;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Received {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As it came. */
  readonly text: string;
}

export const OFFICIAL_SCHEMA = 'https://spec.openapis.org/oas/3.1/schema-base';
/** Headers that an answer carries only where the document says so. */
const KNOWN_HEADERS = ['etag', 'x-request-id', 'retry-after'];

setShouldValidateFormat(true);
let judges = 0;

export function makeJudge(document: OpenApi): Judge {
  judges += 1;
  const base = `https://tradeform.dev/test/openapi-${judges}`;
  registerSchema(structuredClone(document) as never, base, OFFICIAL_SCHEMA);
  const compiled = new Map<string, Promise<Validator>>();
  const holds = async (at: string, value: unknown) => {
    const validator = compiled.get(at) ?? validate(`${base}${encodeURI(at)}`);
    compiled.set(at, validator);
    return (await validator)(value as never).valid;
  };
  const operations = operationsOf(document);

  return {
    operations,
    operation: (id) => {
      const found = operations.find((operation) => operation.id === id);
      if (found === undefined) throw new Error(`no operation ${id}`);
      return found;
    },
    request: async (operation, sent) => {
      const problems: string[] = [];
      for (const parameter of operation.parameters) {
        const text = { path: { id: sent.id }, query: sent.query, header: sent.headers }[parameter.in];
        const value = (text as Record<string, string | undefined>)[parameter.name.toLowerCase()];
        if (value === undefined) {
          if (parameter.required === true) problems.push(`${parameter.name} is missing`);
        } else if (!(await holds(parameter.at, parsed(value, parameter.schema.type)))) {
          problems.push(`${parameter.name} does not fit`);
        }
      }
      const known = operation.parameters.filter((parameter) => parameter.in === 'query');
      for (const name of Object.keys(sent.query)) {
        if (!known.some((parameter) => parameter.name === name)) problems.push(`${name} is unknown`);
      }
      const { requestBody } = operation;
      if (requestBody !== undefined && !(await holds(requestBody.at, sent.body)))
        problems.push('the body does not fit');
      return problems;
    },
    answer: async (operation, { status, headers, text }) => {
      const answer = operation.answers.get(status);
      if (answer === undefined) return [`status ${status} is not documented`];
      const problems: string[] = [];
      for (const header of answer.headers) {
        const value = headers[header.name];
        if (value === undefined && header.required) problems.push(`${header.name} is missing`);
        if (value !== undefined && !(await holds(header.at, value)))
          problems.push(`${header.name} is ${value}`);
      }
      for (const name of KNOWN_HEADERS) {
        const documented = answer.headers.some((header) => header.name === name);
        if (headers[name] !== undefined && !documented) problems.push(`${name} is not documented`);
      }
      if (answer.body === undefined) {
        if (text !== '') problems.push('there is a body');
        return problems;
      }
      if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
        problems.push('the content type is not JSON');
      const body = json(text);
      if (body === undefined) problems.push('the body is not JSON');
      else if (!(await holds(answer.body, body)))
        problems.push(`the body does not fit: ${text.slice(0, 2_000)}`);
      return problems;
    },
  };
}

function parsed(text: string, type: unknown): unknown {
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
