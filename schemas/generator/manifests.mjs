/**
 * Derives the manifest schemas (draft-07) from the service's write bodies and the envelope of every manifest.
 *
 * Two forms come from one description. `editor`: decimals are strings or plain numbers, because authors may leave out the quotes.
 * `strict`: decimals are strings only, because the reader has already converted plain numbers to their source text.
 */
import { authoring, partialConfig } from './authoring.mjs';
import { BASE_ID, inliner, strictly } from './derive.mjs';
import { guardrailsSchema } from './guardrails.mjs';

const NAME = {
  description: 'Name of the manifest, unique per kind: 1 to 24 characters of a-z, 0-9 and -.',
  type: 'string',
  pattern: '^[a-z0-9-]{1,24}$',
  'x-name': true,
};
const UUID = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

const ID = {
  description: 'Adopt this existing resource: its id on the service.',
  type: 'string',
  pattern: UUID,
  'x-uuid': true,
};
const ANNOTATIONS = {
  description: 'Free notes for people and tools; not sent to the service.',
  type: 'object',
  additionalProperties: { type: 'string' },
};
const PROJECT_NAME = { type: 'string', pattern: '^[a-z0-9-]{1,12}$', 'x-name': true };
const NAMED = object('Identity of this manifest.', ['name'], { name: NAME, annotations: ANNOTATIONS });
const EXTENDS = {
  description:
    'Templates and presets by name, merged in this order before the config of the manifest: mappings merge, lists and other values replace, null removes.',
  type: 'array',
  maxItems: 100,
  items: NAME,
  default: [],
};
const VARIABLE_NAME = '^[a-z][a-z0-9_-]{0,39}$';
/** The reader keeps the source text of a number that is not a plain whole number. */
const SCALAR = { type: ['string', 'number', 'boolean'], 'x-scalar': true };

const TASKS = [
  {
    kind: 'SniperTask',
    file: 'sniper-task',
    config: 'sniperConfig',
    noun: 'A sniper task',
    wallet: 'The wallet of the task.',
    collection: 'sniper',
  },
  {
    kind: 'CopyTradeTask',
    file: 'copy-trade-task',
    config: 'copyTradeConfig',
    noun: 'A copy-trade task',
    wallet: 'The wallet being copied.',
    linked: true,
    collection: 'copy-trade',
  },
  {
    kind: 'TransferSnipeTask',
    file: 'transfer-snipe-task',
    config: 'sniperConfig',
    noun: 'A transfer-snipe task',
    wallet: 'The watched wallet A.',
    collection: 'transfer-snipe',
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
 * The schema of each manifest kind, with its file name. Kinds with `for` have one schema for each kind of task. `id` is unique.
 * `define` returns the schema of a definition of the service: complete for editors, or a reference (`strictly`) for the
 * validators.
 */
export function manifestSchemas(service, define = inliner(service)) {
  const plain = (kind, file, schema) => ({ kind, id: kind, file, schema });
  const each = (kind, file, schemaOf) =>
    TASKS.map((task) => ({
      kind,
      id: `${kind}${pascal(task.collection)}`,
      for: task.collection,
      file,
      schema: schemaOf(task, define),
    }));
  return [
    ...TASKS.map((task) => plain(task.kind, task.file, taskSchema(task, define))),
    ...TEMPLATES.map((template) => plain(template.kind, template.file, templateSchema(template, define))),
    plain('Label', 'label', labelSchema(define)),
    ...each('Preset', 'preset', presetSchema),
    ...each('TaskSet', 'task-set', taskSetSchema),
    plain('WalletBook', 'wallet-book', walletBookSchema(service)),
    plain('Removal', 'removal', removalSchema()),
    plain('Project', 'project', projectSchema(service, guardrailsSchema(service, define === strictly))),
    plain('Fleet', 'fleet', fleetSchema(service)),
    plain('Notifications', 'notifications', notificationsSchema()),
  ];
}

function pascal(collection) {
  return collection.replace(/(?:^|-)([a-z])/g, (_, letter) => letter.toUpperCase());
}

/** A schema of many kinds contains the two configs once, not once for each kind. */
const SHARED = ['sniperConfig', 'copyTradeConfig'];

function sharing(service) {
  const inline = inliner(service);
  const schemas = manifestSchemas(service, (name) =>
    SHARED.includes(name) ? { $ref: `#/definitions/${name}` } : inline(name),
  );
  return { schemas, configs: SHARED.map((name) => [name, inline(name)]) };
}

/** The schema for the reader: one definition for each kind. `for` tells which, if a kind has several. */
export function readerSchema(service) {
  const { schemas, configs } = sharing(service);
  const specs = new Map(TASKS.map(({ kind, collection }) => [collection, `${kind}Spec`]));
  const definitions = schemas.map(({ id, kind, for: purpose, schema }) => {
    const task = TASKS.find((one) => one.kind === kind);
    const { spec } = schema.properties;
    // A task set has the same spec as its tasks, so the spec is included once.
    if (task !== undefined) return [id, withSpec(schema, reference(specs.get(task.collection)))];
    if (kind !== 'TaskSet') return [id, withoutHeading(schema)];
    const body = spec.properties.task;
    const shared = { ...body, properties: { ...body.properties, spec: reference(specs.get(purpose)) } };
    return [id, withSpec(schema, { ...spec, properties: { ...spec.properties, task: shared } })];
  });
  const shared = TASKS.map(({ kind, collection }) => [
    specs.get(collection),
    schemas.find(({ id }) => id === kind).schema.properties.spec,
  ]);
  return {
    kinds: [...new Set(schemas.map(({ kind }) => kind))],
    definitions: Object.fromEntries([...definitions, ...shared, ...configs]),
  };
}

function reference(name) {
  return { $ref: `#/definitions/${name}` };
}

function withSpec(schema, spec) {
  return { ...withoutHeading(schema), properties: { ...schema.properties, spec } };
}

/** File name → one self-contained schema for editors. `manifest` accepts every kind. */
export function editorSchemas(service) {
  const files = new Map();
  for (const { file, ...variant } of manifestSchemas(service))
    files.set(file, [...(files.get(file) ?? []), variant]);
  const single = [...files].map(([file, variants]) => [
    file,
    variants.length === 1 ? authoring(variants[0].schema, variants[0].kind) : chosenByFor(file, variants),
  ]);
  const { schemas, configs } = sharing(service);
  const any = {
    ...heading('manifest', 'Manifest', 'Any tradeform manifest; `kind` says which.'),
    type: 'object',
    required: ['apiVersion', 'kind'],
    properties: {
      apiVersion: { const: 'tradeform/v1' },
      kind: {
        description: 'What this manifest describes.',
        enum: [...new Set(schemas.map(({ kind }) => kind))],
      },
    },
    allOf: schemas.map(choice),
    definitions: Object.fromEntries([
      ...schemas.map(({ id, kind, schema }) => [id, withoutHeading(authoring(schema, kind))]),
      ...configs.map(([name, config]) => [name, partialConfig(config)]),
    ]),
  };
  return new Map([...single, ['manifest', any]]);
}

function chosenByFor(file, variants) {
  const [{ kind, schema }] = variants;
  const { description } = schema.properties.spec.properties.for;
  return {
    ...heading(file, kind, schema.description),
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      kind: { description: 'What this manifest describes.', const: kind },
      spec: {
        type: 'object',
        required: ['for'],
        properties: { for: { description, enum: variants.map((one) => one.for) } },
      },
    },
    allOf: variants.map(choice),
    definitions: Object.fromEntries(
      variants.map((one) => [one.id, withoutHeading(authoring(one.schema, kind))]),
    ),
  };
}

function choice({ kind, id, for: collection }) {
  const spec = { required: ['for'], properties: { for: { const: collection } } };
  return {
    if: {
      required: ['kind', ...(collection === undefined ? [] : ['spec'])],
      properties: { kind: { const: kind }, ...(collection === undefined ? {} : { spec }) },
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: `#/definitions/${id}` },
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
  return object('Identity of this manifest.', ['name'], {
    name: NAME,
    id: ID,
    previous_name: previousName,
    annotations: ANNOTATIONS,
  });
}

function taskSchema(task, inline) {
  const { kind, file, noun } = task;
  return envelope(file, kind, `${noun}. It is created paused, and runs if state is active.`, {
    metadata: metadata({
      ...NAME,
      description:
        'The former metadata.name, before a rename; it counts only while no resource has the new name.',
    }),
    spec: taskSpec(task, inline),
  });
}

function taskSpec({ config, wallet, linked }, inline) {
  const spec = {
    state: {
      description:
        'active: the task runs; paused: it does not run; manual: tradeform does not start or stop it.',
      type: 'string',
      enum: ['active', 'paused', 'manual'],
    },
    rearm: {
      description: '1 to 3 of a-z and 0-9: a new value starts a held task once.',
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
    label: { ...NAME, description: 'metadata.name of a Label; without it, the task has no label.' },
    target_wallet: {
      ...inline('address'),
      description: `${wallet} A chain address (32 to 44 characters of base58), or a name from a WalletBook. Changing it replaces the task.`,
    },
    ...(linked ? { linked_wallets: inline('linkedWallets') } : {}),
    extends: EXTENDS,
    config: inline(config),
    lifecycle: object('How tradeform treats the task.', [], {
      ignore_changes: {
        description:
          'Fields that are neither compared nor overwritten, for example config.buy_amount; the live value is kept. On creation the desired value is used.',
        type: 'array',
        maxItems: 200,
        uniqueItems: true,
        items: { type: 'string' },
        default: [],
      },
      adopt: {
        description:
          'auto: an unmanaged task is adopted if it is certainly this one; never: a new task is created beside it.',
        type: 'string',
        enum: ['auto', 'never'],
        default: 'auto',
      },
    }),
  };
  return object('The desired task.', ['state', 'target_wallet', 'config'], spec);
}

function presetSchema({ kind, config, collection }, inline) {
  return envelope('preset', 'Preset', 'A partial config that stays in git; tasks and templates extend it.', {
    metadata: NAMED,
    spec: object('The preset.', ['for', 'config'], {
      for: forSchema(collection, `The kind of task that the preset is for; here ${kind}.`),
      extends: EXTENDS,
      config: inline(config),
    }),
  });
}

function taskSetSchema(task, inline) {
  const { kind, collection } = task;
  return envelope('task-set', 'TaskSet', 'Many similar tasks: one body, and a row for each task.', {
    metadata: NAMED,
    spec: object('The tasks.', ['for', 'task'], {
      for: forSchema(collection, `The kind of the tasks; here ${kind}.`),
      rows: {
        description: 'One task per row. ${row.NAME} in the body is the value of a column.',
        type: 'array',
        minItems: 1,
        items: {
          description: 'Columns of one row; name is metadata.name of its task if the body has no name.',
          type: 'object',
          propertyNames: { pattern: VARIABLE_NAME },
          minProperties: 1,
          additionalProperties: {
            ...SCALAR,
            description: 'Text, a number, true or false; null leaves the field out.',
            type: [...SCALAR.type, 'null'],
          },
        },
      },
      rows_from: {
        description:
          'Instead of rows: a CSV file, by its path from this manifest, with a header line; an empty cell leaves the field out.',
        type: 'string',
        minLength: 1,
      },
      task: object('The body that every row fills in.', ['spec'], {
        metadata: object('Identity of the task.', [], {
          name: { ...NAME, description: 'metadata.name of the task. Default: ${row.name}.' },
          id: ID,
          previous_name: { ...NAME, description: 'metadata.name before a rename.' },
          annotations: ANNOTATIONS,
        }),
        spec: taskSpec(task, inline),
      }),
    }),
  });
}

function forSchema(collection, description) {
  return { description, type: 'string', const: collection };
}

function walletBookSchema(service) {
  const address = { ...service.definitions.address, description: 'The chain address.' };
  return envelope('wallet-book', 'WalletBook', 'Names for wallets, usable instead of addresses.', {
    metadata: NAMED,
    spec: object('The wallets.', ['wallets'], {
      wallets: {
        description: 'Name → address, or a mapping with address and note.',
        type: 'object',
        propertyNames: { pattern: NAME.pattern },
        minProperties: 1,
        additionalProperties: {
          ...address,
          description: 'A chain address, or a mapping with address and note.',
          type: ['string', 'object'],
          additionalProperties: false,
          required: ['address'],
          properties: {
            address,
            note: { description: 'For people; not sent to the service.', type: 'string', 'x-text': true },
          },
        },
      },
    }),
  });
}

function removalSchema() {
  return envelope('removal', 'Removal', 'Templates and labels that must not exist, and tasks to release.', {
    metadata: NAMED,
    spec: object('What to remove.', ['resources'], {
      release: {
        description:
          'true allows tasks among the resources: the marker is removed, the task stays unchanged, and is no longer managed from git.',
        type: 'boolean',
        default: false,
      },
      resources: {
        description:
          'Addresses: label/High risk, sniper-template/Base. For templates and labels, write the name on the service after the slash; for tasks metadata.name. Entries for resources that no longer exist have no effect.',
        type: 'array',
        items: { description: 'An address.', type: 'string', minLength: 1, 'x-text': true },
      },
    }),
  });
}

function templateSchema({ kind, file, config, noun }, inline) {
  return envelope(file, kind, `${noun}: a named config snapshot on the service.`, {
    metadata: metadata({
      ...inline('templateName'),
      description: 'Name on the service before a rename.',
      'x-text': true,
    }),
    spec: object('The desired template.', ['config'], {
      name: {
        ...inline('templateName'),
        description: 'Name on the service, 1 to 64 characters, trimmed. Default: metadata.name.',
        'x-text': true,
      },
      extends: EXTENDS,
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
    spec: object('The desired label.', [], {
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

/** The service and the account. */
function placeSchema(service) {
  return {
    base_url: {
      description: 'Base URL of the service with its version segment; https, or http on loopback.',
      type: 'string',
      minLength: 1,
    },
    account: object(
      'Pins the account: the token of any other account is refused.',
      [],
      {
        login_username: {
          description: 'login_username that GET /me must return.',
          type: 'string',
          minLength: 1,
        },
        token_prefix: {
          description: 'token_prefix that GET /me must return.',
          type: 'string',
          pattern: service.definitions.me.properties.token_prefix.pattern,
        },
      },
      { minProperties: 1 },
    ),
  };
}

const UNIT_NAME = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$';

function fleetSchema(service) {
  const { base_url, account } = placeSchema(service);
  const text = (description, more = {}) => ({ description, type: 'string', minLength: 1, ...more });
  const unit = object(
    'One account; with a pattern in project, one account for each matching folder.',
    ['project'],
    {
      name: text(
        'Name of the unit: a letter or digit, then up to 62 of A-Z, a-z, 0-9, point, _ and -. Default: the name of its folder.',
        {
          pattern: UNIT_NAME,
        },
      ),
      project: text(
        'Folder with a tradeform.yaml, from the folder of the fleet file. With * or ? in a name: every folder with a tradeform.yaml that it matches.',
      ),
      environment: text('Environment of the project file. Default: its only one.'),
      project_name: text(
        'metadata.name of the project file: `fleet pause` then needs no project file, and another name in it is refused.',
        { pattern: PROJECT_NAME.pattern },
      ),
      base_url,
      token_file: text(
        'File with the token, from the folder of the fleet file, but outside of its repository; {name} stands for the unit’s name.',
      ),
      token_env: text(
        'Environment variable with the token; it begins with TRADEFORM_. {NAME} stands for the unit’s name in upper case, with _ for everything but letters and digits.',
        { pattern: '^TRADEFORM_[A-Za-z0-9_{}]*$' },
      ),
      account,
      tags: {
        description: 'Words for --tag and for waves.',
        type: 'array',
        uniqueItems: true,
        maxItems: 50,
        items: { type: 'string', pattern: UNIT_NAME },
        default: [],
      },
      wave: {
        description: 'Wave of the unit in `fleet apply`, from 1; replaces spec.waves.',
        type: 'integer',
        minimum: 1,
        maximum: 100,
      },
    },
  );
  return envelope('fleet', 'Fleet', 'The fleet file, fleet.yaml: accounts, and the token of each.', {
    metadata: object('Identity of this fleet.', ['name'], { name: NAME, annotations: ANNOTATIONS }),
    spec: object('The accounts.', ['units'], {
      base_url: { ...base_url, description: 'Base URL of units without a base_url.' },
      units: { description: 'The accounts.', type: 'array', minItems: 1, maxItems: 1000, items: unit },
      waves: {
        description:
          'Order of `fleet apply`: names and tags of units, * stands for any text. A unit belongs to the first wave that names it.',
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: {
          description: 'One wave.',
          type: 'array',
          minItems: 1,
          items: { type: 'string', minLength: 1 },
        },
      },
    }),
  });
}

function notificationsSchema() {
  const text = (description, more = {}) => ({ description, type: 'string', minLength: 1, ...more });
  const variable = (description) => text(description, { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' });
  const channel = object('One chat or monitor.', ['type'], {
    type: {
      description: 'What it is.',
      type: 'string',
      enum: ['slack', 'discord', 'telegram', 'webhook', 'alertmanager'],
    },
    url_env: variable('Environment variable with the URL: of the webhook, or of Alertmanager.'),
    url_file: text('File with the URL, from the folder of this file.'),
    token_env: variable('telegram: environment variable with the token of the bot.'),
    token_file: text('telegram: file with the token of the bot, from the folder of this file.'),
    chat: text('telegram: the id of the chat.'),
    secret_env: variable('webhook: environment variable with the key that signs messages (HMAC-SHA256).'),
    secret_file: text('webhook: file with that key, from the folder of this file.'),
    events: {
      description: 'Events that it gets. Default: all.',
      type: 'array',
      uniqueItems: true,
      minItems: 1,
      items: {
        description: 'One event.',
        type: 'string',
        enum: ['drift', 'failed', 'refused', 'left-paused', 'exposure', 'applied'],
      },
    },
    exposure_above: {
      description: 'SOL at stake per trigger; above it, the channel gets a message.',
      type: 'string',
      pattern: '^(?:0|[1-9][0-9]{0,8})(?:\\.[0-9]{1,9})?$',
    },
    wallets: { description: 'Write wallet addresses in full.', type: 'boolean', default: false },
  });
  const description = 'Where --notify sends its messages: a file of the operator, outside of the repository.';
  return envelope('notifications', 'Notifications', description, {
    metadata: object('Identity of this file.', ['name'], { name: NAME, annotations: ANNOTATIONS }),
    spec: object('The channels.', ['channels'], {
      memory: text(
        'File that records sent messages, from the folder of this file. Without it, every run sends its messages again.',
      ),
      channels: {
        description: 'Channels by name: what --notify takes.',
        type: 'object',
        propertyNames: { pattern: UNIT_NAME },
        minProperties: 1,
        maxProperties: 50,
        additionalProperties: channel,
      },
    }),
  });
}

function projectSchema(service, guardrails) {
  const duration = (text, value) => ({
    description: `${text} A whole number with ms, s or m: 500ms, 60s, 2m; at most 9999s.`,
    type: 'string',
    pattern: '^(?:0(?:ms|s|m)|[1-9][0-9]?m|[1-9][0-9]{0,3}s|[1-9][0-9]{0,6}ms)$',
    default: value,
    'x-duration': true,
  });
  const text = (description, more) => ({ description, type: 'string', minLength: 1, ...more });
  const place = {
    ...placeSchema(service),
    token_env: text(
      'Environment variable with the token; it begins with TRADEFORM_. The operator confirms once the host that gets it. --token-file and TRADEFORM_TOKEN take precedence.',
      { pattern: '^TRADEFORM_[A-Za-z0-9_]*$', maxLength: 128 },
    ),
    token_file: text(
      'File with the token, outside of the repository, from the folder of the project file; confirmed like token_env.',
    ),
  };
  const variables = {
    description: 'Variables of this environment; they replace those of the project.',
    type: 'object',
    propertyNames: { pattern: VARIABLE_NAME },
    additionalProperties: { ...SCALAR, description: 'Text, a number, true or false.' },
  };
  return envelope('project', 'Project', 'The project file, tradeform.yaml.', {
    metadata: object('Identity of this project.', ['name'], {
      name: {
        ...PROJECT_NAME,
        description: 'Owner name in the marker of every task: 1 to 12 characters of a-z, 0-9 and -.',
      },
      previous_name: {
        ...PROJECT_NAME,
        description:
          'Former name of the project, after a rename. Tasks with its marker that a manifest names get the new marker; no task is deleted.',
      },
      annotations: ANNOTATIONS,
    }),
    spec: object('Settings.', [], {
      manifests: {
        description: 'Patterns of manifest files below the project directory: **, *, ? and {a,b}.',
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', minLength: 1 },
        default: ['manifests/**/*.yaml'],
      },
      prune: object('What happens to owned resources that no manifest describes.', [], {
        tasks: {
          description:
            'delete: they are paused and deleted; pause: they are paused; never: they are left alone.',
          type: 'string',
          enum: ['delete', 'pause', 'never'],
          default: 'delete',
        },
      }),
      stopped_tasks: {
        description:
          'hold: a task that somebody stopped, or that stopped itself, stays paused; resume: it is started again, except buy_once tasks.',
        type: 'string',
        enum: ['hold', 'resume'],
        default: 'hold',
      },
      settle: object('How long to wait after a pause before the next write.', [], {
        update: duration('Before the config of a running task is changed.', '0s'),
        replace: duration('Before a replaced task is deleted and its successor started.', '60s'),
      }),
      ...place,
      variables: { ...variables, description: 'Variables of every environment: ${var.NAME} in a manifest.' },
      environments: {
        description:
          'Environments by name, one account each. A single environment is the default; with several, --environment chooses one.',
        type: 'object',
        propertyNames: { pattern: '^[a-z0-9-]{1,24}$' },
        minProperties: 1,
        maxProperties: 100,
        additionalProperties: object(
          'One account: base_url, account, token_env or token_file, variables, patches and guardrails; {} if it has no settings of its own.',
          [],
          {
            ...place,
            guardrails: {
              ...guardrails,
              description: 'Guardrails of this environment; each replaces the same one of the project.',
            },
            variables,
            patches: {
              description: 'JSON merge patches on manifests, by address; they are applied last.',
              type: 'array',
              maxItems: 1000,
              items: object('One patch.', ['target', 'patch'], {
                target: {
                  description: 'Addresses: sniper/*, copy-trade/whale-7, preset/fees; * stands for any text.',
                  type: 'string',
                  minLength: 1,
                  maxLength: 256,
                },
                patch: object('The changes; null removes a field.', ['spec'], {
                  spec: {
                    description: 'Fields of spec, as in a manifest.',
                    type: 'object',
                    'x-loose': true,
                  },
                }),
              }),
            },
          },
        ),
      },
      guardrails,
    }),
    required: [],
  });
}
