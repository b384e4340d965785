/** Operations on templates and labels (interface, "Templates" and "Labels"). */
import { createTemplateExample, labelBodyExample, patchTemplateExample } from './openapi-examples.mjs';
import { LABELS } from './openapi-kinds.mjs';
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
import { ref } from './openapi-schemas.mjs';

export function listTemplates(kind) {
  return operation({
    operationId: `list${kind.name}s`,
    tag: kind.tag,
    summary: `List ${kind.noun}s`,
    description: 'The ordering is not documented.',
    scopes: [`${kind.scope}:read`],
    parameters: ['limit', 'cursor', 'qName'],
    success: {
      200: listAnswer('A page.', 'templateList', `${lower(kind.name)}Page`),
    },
  });
}

export function createTemplate(kind) {
  return operation({
    operationId: `create${kind.name}`,
    tag: kind.tag,
    summary: `Create a ${kind.noun}`,
    description:
      'At most 1,000 templates of both kinds together; the code at that limit is not documented. Templates do not use the task quota. `user_id`, `version` and `risk_label_id` are rejected.',
    scopes: [`${kind.scope}:write`],
    parameters: ['idempotencyKey'],
    body: body(`${kind.body}Create`, { example: createTemplateExample(kind) }),
    success: created('Created, version 1.', 'templateEnvelope', VERSIONED, lower(kind.name)),
    codes: [...ON_CREATE, 'template_name_exists'],
  });
}

export function getTemplate(kind) {
  return operation({
    operationId: `get${kind.name}`,
    tag: kind.tag,
    summary: `Get a ${kind.noun}`,
    scopes: [`${kind.scope}:read`],
    success: {
      200: answer('The template.', 'templateEnvelope', VERSIONED, lower(kind.name)),
    },
    codes: ['not_found'],
  });
}

export function patchTemplate(kind) {
  return operation({
    operationId: `patch${kind.name}`,
    tag: kind.tag,
    summary: `Change a ${kind.noun}`,
    description:
      'At least one field; config is replaced entirely. Tasks keep their own config: none is rewritten.',
    scopes: [`${kind.scope}:write`],
    parameters: ['ifMatch'],
    body: body(`${kind.body}Patch`, { example: patchTemplateExample() }),
    success: {
      200: answer('Changed; a new version.', 'templateEnvelope', VERSIONED, lower(kind.name)),
    },
    codes: ['validation_error', 'not_found', 'template_name_exists', 'version_conflict'],
  });
}

export function deleteTemplate(kind) {
  return operation({
    operationId: `delete${kind.name}`,
    tag: kind.tag,
    summary: `Delete a ${kind.noun}`,
    description: 'Linked tasks are detached; they are neither deleted nor changed in their config.',
    scopes: [`${kind.scope}:delete`],
    parameters: ['ifMatch'],
    success: removed,
    codes: ['not_found', 'version_conflict'],
  });
}

const LABEL_READ = ['sniper:read', 'copytrade:read'];
const LABEL_WRITE = ['sniper:write', 'copytrade:write'];
const FIELDS_NOT_SHOWN = 'Whether name and sort_order are each required is not documented. No ETag.';

export function listLabels() {
  return operation({
    operationId: 'listLabels',
    tag: LABELS,
    summary: 'List all labels',
    description: 'At most 20, in one answer, ordered by sort_order and then created_at.',
    scopes: LABEL_READ,
    success: { 200: listAnswer('All labels.', 'labelList', 'labels') },
  });
}

export function createLabel() {
  return operation({
    operationId: 'createLabel',
    tag: LABELS,
    summary: 'Create a label',
    description: 'At most 20 labels. Whether sort_order is required is not documented. No ETag.',
    scopes: LABEL_WRITE,
    parameters: ['idempotencyKey'],
    body: body('labelCreate', { example: labelBodyExample }),
    success: created('Created.', 'labelEnvelope', SINGLE, 'label'),
    codes: [...ON_CREATE, 'label_name_exists'],
  });
}

export function getLabel() {
  return operation({
    operationId: 'getLabel',
    tag: LABELS,
    summary: 'Get a label',
    scopes: LABEL_READ,
    success: { 200: answer('The label.', 'labelEnvelope', SINGLE, 'label') },
    codes: ['not_found'],
  });
}

export function patchLabel() {
  return operation({
    operationId: 'patchLabel',
    tag: LABELS,
    summary: 'Change a label',
    description: `At least one field; no If-Match. ${FIELDS_NOT_SHOWN}`,
    scopes: LABEL_WRITE,
    body: body('labelPatch', { example: labelBodyExample }),
    success: { 200: answer('Changed.', 'labelEnvelope', SINGLE, 'label') },
    codes: ['validation_error', 'not_found', 'label_name_exists'],
  });
}

export function deleteLabel() {
  return operation({
    operationId: 'deleteLabel',
    tag: LABELS,
    summary: 'Delete a label',
    description:
      'Needs a write scope, not a delete scope; no If-Match. The exact success status is not documented: 200 or 204.',
    scopes: LABEL_WRITE,
    success: {
      200: {
        description: 'Deleted. Whether this status is used, and with which data, is not documented.',
        headers: SINGLE,
        content: {
          'application/json': { schema: ref('openEnvelope') },
        },
      },
      ...removed,
    },
    codes: ['not_found'],
  });
}
