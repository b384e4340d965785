/**
 * The OpenAPI 3.1 document of the service interface. Bodies and resources come from schemas/service.schema.json. Paths,
 * parameters, headers, scopes and errors are in the openapi-*.mjs files beside this one.
 */
import { answerExamples } from './openapi-examples.mjs';
import { CREDENTIAL, LABELS, TASKS, TEMPLATES } from './openapi-kinds.mjs';
import { paths } from './openapi-operations.mjs';
import { headers, parameters, responses, securitySchemes } from './openapi-parts.mjs';
import { componentSchemas } from './openapi-schemas.mjs';

const DESCRIPTION = [
  "A REST interface over JSON to one account's own sniper, copy-trade and transfer-snipe tasks, templates and labels. The account is derived from the bearer token alone.",
  'Every write body is strict: an unknown property at any depth gives `validation_error`. Amounts, fees, percentages and durations are decimal strings; JSON numbers are rejected. Leading and trailing spaces of `remark` and `name` are removed. `x-decimal` is the range of a decimal string, `x-unit` its unit, `x-set` marks arrays whose order carries no meaning, `x-open` objects whose further fields are not documented and pass through.',
  'Every task is created paused. Tasks and templates carry a version, sent as `ETag` and required as `If-Match`; labels have none. Creates need an `Idempotency-Key`.',
  'HTTP statuses of most error codes are not documented: clients branch on `error.code`. `x-error-codes` lists those that an operation is known to answer with. Where the interface leaves something open, the description says "not documented" and the schema permits every plausible answer.',
].join('\n\n');

export function openapiDocument(service) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trading-task configuration service',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      {
        url: '{base_url}',
        description: 'The base URL already contains the version segment v1.',
        variables: {
          base_url: { default: 'https://service.invalid/v1', description: 'Given by the provider.' },
        },
      },
    ],
    security: [{ apiToken: [] }],
    tags: [
      { name: CREDENTIAL, description: 'Metadata of the credential in use.' },
      ...TASKS.map(({ tag, noun }) => ({ name: tag, description: `Each ${noun} is paused or active.` })),
      ...TEMPLATES.map(({ tag, noun }) => ({
        name: tag,
        description: `A ${noun} is a named, reusable config.`,
      })),
      { name: LABELS, description: 'One set of at most 20 labels, shared by the three task kinds.' },
    ],
    paths: paths(),
    components: {
      schemas: componentSchemas(service, resources()),
      parameters,
      headers,
      responses,
      examples: answerExamples(TASKS, TEMPLATES),
      securitySchemes,
    },
  };
}

function resources() {
  return [
    { name: 'me' },
    ...TASKS.map(({ name }) => ({ name: `${name[0].toLowerCase()}${name.slice(1)}`, paged: true })),
    { name: 'template', paged: true },
    { name: 'label', paged: false },
  ];
}
