/** The operations of the OpenAPI document: all paths, and the operations of the credential and the tasks. */
import { createTaskExample, patchTaskExamples } from './openapi-examples.mjs';
import { CREDENTIAL, TASKS, TEMPLATES } from './openapi-kinds.mjs';
import {
  answer,
  body,
  created,
  listAnswer,
  lower,
  ON_CREATE,
  operation,
  removed,
  SINGLE,
  VERSIONED,
} from './openapi-operation.mjs';
import { part } from './openapi-parts.mjs';
import {
  createLabel,
  createTemplate,
  deleteLabel,
  deleteTemplate,
  getLabel,
  getTemplate,
  listLabels,
  listTemplates,
  patchLabel,
  patchTemplate,
} from './openapi-templates.mjs';

/** Path → path item of the whole interface. */
export function paths() {
  const all = { '/me': { get: credential() } };
  for (const kind of TASKS) {
    all[kind.path] = { get: listTasks(kind), post: createTask(kind) };
    all[`${kind.path}/{id}`] = item(getTask(kind), patchTask(kind), deleteTask(kind));
    for (const action of ['pause', 'resume']) {
      all[`${kind.path}/{id}/${action}`] = {
        parameters: [part('parameters', 'id')],
        post: switchTask(kind, action),
      };
    }
  }
  for (const kind of TEMPLATES) {
    all[kind.path] = { get: listTemplates(kind), post: createTemplate(kind) };
    all[`${kind.path}/{id}`] = item(getTemplate(kind), patchTemplate(kind), deleteTemplate(kind));
  }
  all['/labels'] = { get: listLabels(), post: createLabel() };
  all['/labels/{id}'] = item(getLabel(), patchLabel(), deleteLabel());
  return all;
}

function item(get, patch, remove) {
  return { parameters: [part('parameters', 'id')], get, patch, delete: remove };
}

function credential() {
  return operation({
    operationId: 'getCredential',
    tag: CREDENTIAL,
    summary: 'Metadata of the credential',
    description: 'Any valid token; no scope is needed. No internal user identifier is returned.',
    scopes: [],
    success: { 200: answer('The credential.', 'meEnvelope', SINGLE, 'credential') },
  });
}

function listTasks(kind) {
  return operation({
    operationId: `list${kind.name}s`,
    tag: kind.tag,
    summary: `List ${kind.noun}s`,
    description:
      'Ordered by updated_at and then id; the direction is not documented. Items carry no ETag of their own: "v<version>" is it.',
    scopes: [`${kind.scope}:read`],
    parameters: ['limit', 'cursor', 'status', 'q', 'labelId'],
    success: {
      200: listAnswer('A page.', `${lower(kind.name)}List`, `${lower(kind.name)}Page`),
    },
    codes: ['not_found'],
  });
}

function createTask(kind) {
  const target = kind.linked
    ? 'target_already_exists: the target is already used by a copy-trade task; listing with q finds it.'
    : `Whether target_already_exists applies to ${kind.noun}s is not documented.`;
  return operation({
    operationId: `create${kind.name}`,
    tag: kind.tag,
    summary: `Create a ${kind.noun}, paused`,
    description: `Counts against the quota that all task kinds share. ${target} \`user_id\`, \`version\` and \`template\` are rejected.`,
    scopes: [`${kind.scope}:write`],
    parameters: ['idempotencyKey'],
    body: body(`${kind.body}Create`, { example: createTaskExample(kind) }),
    success: created(
      'Created, paused, version 1.',
      `${lower(kind.name)}Envelope`,
      VERSIONED,
      `${lower(kind.name)}Created`,
    ),
    codes: [...ON_CREATE, 'not_found', 'target_already_exists'],
  });
}

function getTask(kind) {
  return operation({
    operationId: `get${kind.name}`,
    tag: kind.tag,
    summary: `Get a ${kind.noun}`,
    scopes: [`${kind.scope}:read`],
    success: {
      200: answer('The task.', `${lower(kind.name)}Envelope`, VERSIONED, `${lower(kind.name)}Active`),
    },
    codes: ['not_found'],
  });
}

function patchTask(kind) {
  const paused = kind.linked ? '`config` and `linked_wallets` require' : '`config` requires';
  return operation({
    operationId: `patch${kind.name}`,
    tag: kind.tag,
    summary: `Change a ${kind.noun}`,
    description: `At least one field. What is given replaces what is stored, entirely; nothing is merged. ${paused} a paused task. target_wallet never changes.`,
    scopes: [`${kind.scope}:write`],
    parameters: ['ifMatch'],
    body: body(`${kind.body}Patch`, { examples: patchTaskExamples(kind) }),
    success: {
      200: answer(
        'Changed; a new version.',
        `${lower(kind.name)}Envelope`,
        VERSIONED,
        `${lower(kind.name)}Paused`,
      ),
    },
    codes: ['validation_error', 'not_found', 'config_must_be_paused', 'version_conflict'],
  });
}

function deleteTask(kind) {
  return operation({
    operationId: `delete${kind.name}`,
    tag: kind.tag,
    summary: `Delete a paused ${kind.noun}`,
    description: 'An active task answers config_must_be_paused.',
    scopes: [`${kind.scope}:delete`],
    parameters: ['ifMatch'],
    success: removed,
    codes: ['not_found', 'config_must_be_paused', 'version_conflict'],
  });
}

const SWITCHES = {
  pause: {
    text: 'The stored state changes at once; execution nodes may act on the former state for a short time, in extreme cases 30 to 60 seconds. Pausing a paused task: effect not documented.',
    codes: [],
  },
  resume: {
    text: 'The complete stored config must pass the current strict schema, else validation_error. Execution nodes learn of it eventually. Resuming an active task: effect not documented.',
    codes: ['validation_error'],
  },
};

function switchTask(kind, action) {
  const { text, codes } = SWITCHES[action];
  const active = action === 'resume';
  return operation({
    operationId: `${action}${kind.name}`,
    tag: kind.tag,
    summary: active ? `Start a paused ${kind.noun}` : `Stop an active ${kind.noun}`,
    description: `No body. ${text}`,
    scopes: [`${kind.scope}:write`],
    parameters: ['ifMatch'],
    success: {
      200: answer(
        active ? 'Active.' : 'Paused.',
        `${lower(kind.name)}Envelope`,
        VERSIONED,
        `${lower(kind.name)}${active ? 'Active' : 'Paused'}`,
      ),
    },
    codes: [...codes, 'not_found', 'version_conflict'],
  });
}
