/**
 * Derives the manifest schemas (draft-07) from the service's write bodies and the envelope of every manifest.
 *
 * Two forms come from one description. `editor`: decimals are strings or plain numbers, since YAML writers may leave the
 * quotes out. `strict`: decimals are strings only; the reader has turned plain numbers into their own source text by then.
 */
import { BASE_ID, inliner } from './derive.mjs';

const NAME = {
  description: 'Name of the manifest, unique per kind: 1 to 28 of a-z, 0-9 and -.',
  type: 'string',
  pattern: '^[a-z0-9-]{1,28}$',
  'x-name': true,
};
const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const TASKS = [
  {
    kind: 'SniperTask',
    file: 'sniper-task',
    config: 'sniperConfig',
    noun: 'A sniper task',
    wallet: 'The wallet of the task.',
  },
  {
    kind: 'CopyTradeTask',
    file: 'copy-trade-task',
    config: 'copyTradeConfig',
    noun: 'A copy-trade task',
    wallet: 'The wallet being copied.',
    linked: true,
  },
  {
    kind: 'TransferSnipeTask',
    file: 'transfer-snipe-task',
    config: 'sniperConfig',
    noun: 'A transfer-snipe task',
    wallet: 'The watched wallet A.',
  },
];
const TEMPLATES = [
  { kind: 'SniperTemplate', file: 'sniper-template', config: 'sniperConfig', noun: 'A sniper template' },
  {
    kind: 'CopyTradeTemplate',
    file: 'copy-trade-template',
    config: 'copyTradeConfig',
    noun: 'A copy-trade template',
  },
];

/**
 * Schema of each manifest kind, by kind, with its file name. `define` gives the schema of a definition of the service: in
 * full for editors, or a reference (`strictly`) for the validators.
 */
export function manifestSchemas(service, define = inliner(service)) {
  return [
    ...TASKS.map((task) => ({ kind: task.kind, file: task.file, schema: taskSchema(task, define) })),
    ...TEMPLATES.map((template) => ({
      kind: template.kind,
      file: template.file,
      schema: templateSchema(template, define),
    })),
    { kind: 'Label', file: 'label', schema: labelSchema(define) },
    { kind: 'Project', file: 'project', schema: projectSchema(service) },
  ];
}

/** One self-contained schema that picks by `kind`. The two configs stand in it once, not once a kind. */
export function anyManifestSchema(service) {
  const inline = inliner(service);
  const shared = ['sniperConfig', 'copyTradeConfig'];
  const schemas = manifestSchemas(service, (name) =>
    shared.includes(name) ? { $ref: `#/definitions/${name}` } : inline(name),
  );
  return {
    ...heading('manifest', 'Manifest', 'Any tradeform manifest; `kind` says which.'),
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: {
      apiVersion: { const: 'tradeform/v1' },
      kind: { description: 'What this manifest describes.', enum: schemas.map(({ kind }) => kind) },
    },
    allOf: schemas.map(({ kind }) => ({
      if: { required: ['kind'], properties: { kind: { const: kind } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: `#/definitions/${kind}` },
    })),
    definitions: Object.fromEntries([
      ...schemas.map(({ kind, schema }) => [kind, withoutHeading(schema)]),
      ...shared.map((name) => [name, inline(name)]),
    ]),
  };
}

function heading(file, title, description) {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${BASE_ID}manifest/${file}.schema.json`,
    title,
    description,
  };
}

function withoutHeading({ $schema, $id, ...rest }) {
  return rest;
}

function object(description, required, properties, more = {}) {
  return { description, type: 'object', additionalProperties: false, required, properties, ...more };
}

function envelope(file, kind, description, { metadata, spec, required }) {
  return {
    ...heading(file, kind, description),
    type: 'object',
    additionalProperties: false,
    required: ['apiVersion', 'kind', 'metadata', ...(required ?? ['spec'])],
    properties: {
      apiVersion: { description: 'Version of the manifest format.', type: 'string', const: 'tradeform/v1' },
      kind: { description: 'What this manifest describes.', type: 'string', const: kind },
      metadata,
      spec,
    },
  };
}

function metadata(previousName) {
  return object('Who this manifest is.', ['name'], {
    name: NAME,
    id: {
      description: 'Adopt this existing resource: its id on the service.',
      type: 'string',
      pattern: UUID,
      'x-uuid': true,
    },
    previous_name: previousName,
    annotations: {
      description: 'Free notes for people and tools; not sent to the service.',
      type: 'object',
      additionalProperties: { type: 'string' },
    },
  });
}

function taskSchema({ kind, file, config, noun, wallet, linked }, inline) {
  const spec = {
    state: {
      description: 'active: it runs; paused: it does not; manual: tradeform does not manage the switch.',
      type: 'string',
      enum: ['active', 'paused', 'manual'],
    },
    rearm: {
      description: '1 to 3 of a-z and 0-9: a new value asks once more for a start of a held task.',
      type: 'string',
      pattern: '^[a-z0-9]{1,3}$',
    },
    remark: {
      description: 'Free note; stored before the marker, together at most 64 characters.',
      type: 'string',
      maxLength: 64,
      default: '',
      'x-text': true,
    },
    label: { ...NAME, description: 'metadata.name of a Label; left out for none.' },
    target_wallet: {
      ...inline('address'),
      description: `${wallet} A chain address: 32 to 44 characters of base58. Changing it replaces the task.`,
    },
    ...(linked ? { linked_wallets: inline('linkedWallets') } : {}),
    config: inline(config),
    lifecycle: object('How tradeform treats the task.', [], {
      ignore_changes: {
        description:
          'Fields that are neither compared nor written over, for example config.buy_amount; the live value is kept. On creation the desired value is used.',
        type: 'array',
        uniqueItems: true,
        items: { type: 'string' },
        default: [],
      },
      adopt: {
        description:
          'auto: an unmanaged task that is surely this one is adopted; never: a new one is created beside it.',
        type: 'string',
        enum: ['auto', 'never'],
        default: 'auto',
      },
    }),
  };
  return envelope(file, kind, `${noun}. Created paused; it runs where state is active.`, {
    metadata: metadata({
      ...NAME,
      description: 'metadata.name before a rename; counts only while nothing has the new name.',
    }),
    spec: object('What the task shall be.', ['state', 'target_wallet', 'config'], spec),
  });
}

function templateSchema({ kind, file, config, noun }, inline) {
  return envelope(file, kind, `${noun}: a named config snapshot on the service.`, {
    metadata: metadata({
      ...inline('templateName'),
      description: 'Name on the service before a rename.',
      'x-text': true,
    }),
    spec: object('What the template shall be.', ['config'], {
      name: {
        ...inline('templateName'),
        description: 'Name on the service, 1 to 64 characters, trimmed. Default: metadata.name.',
        'x-text': true,
      },
      config: inline(config),
    }),
  });
}

function labelSchema(inline) {
  return envelope('label', 'Label', 'A label; tasks name it by metadata.name. At most 20 on an account.', {
    metadata: metadata({
      ...inline('labelName'),
      description: 'Name on the service before a rename.',
      'x-text': true,
    }),
    spec: object('What the label shall be.', [], {
      name: {
        ...inline('labelName'),
        description: 'Name on the service, 1 to 32 characters, trimmed, unique. Default: metadata.name.',
        'x-text': true,
      },
      sort_order: {
        ...inline('sortOrder'),
        description: 'Position of the label in lists. Default: 0.',
        default: 0,
      },
    }),
    required: [],
  });
}

function projectSchema(service) {
  const duration = (text, value) => ({
    description: `${text} A whole number with ms, s or m: 500ms, 60s, 2m.`,
    type: 'string',
    pattern: '^(?:0|[1-9][0-9]{0,6})(?:ms|s|m)$',
    default: value,
    'x-duration': true,
  });
  const place = {
    base_url: {
      description: 'Base URL of the service with its version segment; https, or http on loopback.',
      type: 'string',
      minLength: 1,
    },
    account: object(
      'Pins the account: any other credential is refused.',
      [],
      {
        login_username: {
          description: 'login_username that GET /me must answer.',
          type: 'string',
          minLength: 1,
        },
        token_prefix: {
          description: 'token_prefix that GET /me must answer.',
          type: 'string',
          pattern: service.definitions.me.properties.token_prefix.pattern,
        },
      },
      { minProperties: 1 },
    ),
  };
  return envelope('project', 'Project', 'The project file, tradeform.yaml.', {
    metadata: object('Who this project is.', ['name'], {
      name: {
        description: 'Owner name in the marker of every task: 1 to 12 of a-z, 0-9 and -.',
        type: 'string',
        pattern: '^[a-z0-9-]{1,12}$',
        'x-name': true,
      },
      annotations: {
        description: 'Free notes for people and tools.',
        type: 'object',
        additionalProperties: { type: 'string' },
      },
    }),
    spec: object('Settings.', [], {
      manifests: {
        description: 'Patterns of manifest files below the project directory: **, *, ? and {a,b}.',
        type: 'array',
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        default: ['manifests/**/*.yaml'],
      },
      prune: object('What happens to owned resources that no manifest describes.', [], {
        tasks: {
          description: 'delete, pause, or never touch them.',
          type: 'string',
          enum: ['delete', 'pause', 'never'],
          default: 'delete',
        },
      }),
      stopped_tasks: {
        description:
          'hold: a task that somebody stopped, or that stopped itself, stays paused; resume: it is started again, buy_once tasks apart.',
        type: 'string',
        enum: ['hold', 'resume'],
        default: 'hold',
      },
      settle: object('How long to wait after a pause before going on.', [], {
        update: duration('Before the config of a running task is changed.', '0s'),
        replace: duration('Before a replaced task is deleted and its successor started.', '60s'),
      }),
      ...place,
      environments: {
        description: 'Accounts by name; one is the default, of several --environment names one.',
        type: 'object',
        propertyNames: { pattern: '^[a-z0-9-]{1,28}$' },
        minProperties: 1,
        additionalProperties: object('One account.', [], place),
      },
      guardrails: object('Limits of a plan.', [], {}),
    }),
    required: [],
  });
}
