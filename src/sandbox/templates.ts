import { jsonEqual, objectIn } from '../model/json.ts';
import type { TemplateKind } from '../model/kind.ts';
import { bodyOf, checkBody, textOf } from './body.ts';
import { type Context, NO_CHANGES, type OperationOutcome } from './context.ts';
import type { Change, StoredTemplate } from './records.ts';
import { notFound, Refused } from './refusal.ts';
import { expectNoBody, isUuid, parseBody, parseIfMatch } from './request.ts';
import { showTemplate } from './resources.ts';
import { storedConfig } from './storing.ts';
import { expectVersion, malformedId } from './tasks.ts';

/** The operations on one existing template (interface, "Templates"). */

export function getTemplate(context: Context, kind: TemplateKind, id: string): OperationOutcome {
  return shown(context, findTemplate(context, kind, id), false);
}

function findTemplate({ state, account, env }: Context, kind: TemplateKind, id: string): StoredTemplate {
  if (!isUuid(id)) throw malformedId(env.choices.malformed_id);
  const template = state.holdings(account.id).templates.get(id);
  if (template?.collection !== kind.collection) throw notFound('The template');
  return template;
}

/** Throws `template_name_exists` when another template of the account has the name. */
export function expectFreeTemplateName({ state, account, env }: Context, wanted: StoredTemplate): void {
  const { template_name_case, template_names } = env.choices;
  const fold = (name: string) => (template_name_case === 'ignored' ? name.toLowerCase() : name);
  for (const other of state.holdings(account.id).templates.values()) {
    if (other.id === wanted.id || fold(other.name) !== fold(wanted.name)) continue;
    if (template_names === 'across-kinds' || other.collection === wanted.collection) {
      throw new Refused('template_name_exists', 'Another template has this name.');
    }
  }
}

export function patchTemplate(context: Context, kind: TemplateKind, id: string): OperationOutcome {
  const { request, env } = context;
  const { choices } = env;
  const raw = parseBody(request, choices);
  const name = bodyOf(kind.collection, 'Patch');
  const check = () => checkBody(raw, { name, config: kind.config, nameLimit: 64 }, choices);
  if (choices.check_order === 'body-first') check();
  const version = parseIfMatch(request, choices);
  const template = findTemplate(context, kind, id);
  expectVersion(template, version);
  const body = check();
  const changed: StoredTemplate = {
    ...template,
    ...(body.name === undefined ? {} : { name: textOf(body.name) }),
    ...(body.config === undefined
      ? {}
      : { config: storedConfig(kind.config, objectIn(body.config), choices) }),
  };
  expectFreeTemplateName(context, changed);
  const unchanged = changed.name === template.name && jsonEqual(changed.config, template.config);
  if (unchanged && choices.noop_patch === 'same-version') return shown(context, template, true);
  const record = { ...changed, version: template.version + choices.version_step, updated_at: env.now };
  return { ...shown(context, record, true), changes: [{ type: 'template', record }] };
}

/** Tasks that the web application linked to the template keep their config and lose the link. */
export function deleteTemplate(context: Context, kind: TemplateKind, id: string): OperationOutcome {
  const { request, env, state, account } = context;
  expectNoBody(request, env.choices);
  const version = parseIfMatch(request, env.choices);
  const template = findTemplate(context, kind, id);
  expectVersion(template, version);
  const changes: Change[] = [];
  for (const tasks of state.holdings(account.id).tasks.values()) {
    for (const task of tasks) {
      if (task.template_id !== template.id) continue;
      const bumped = env.choices.template_delete_tasks === 'bumped';
      const fields = {
        template_id: null,
        ...(bumped ? { version: task.version + env.choices.version_step } : {}),
      };
      changes.push({ type: 'task-fields', id: task.id, fields });
    }
  }
  return {
    status: 204,
    single: true,
    written: true,
    changes: [...changes, { type: 'template-removed', id }],
  };
}

function shown({ env }: Context, template: StoredTemplate, written: boolean): OperationOutcome {
  const data = showTemplate(template, env.choices);
  return { status: 200, data, etag: template.version, single: true, written, changes: NO_CHANGES };
}
