import { createHash } from 'node:crypto';
import { canonicalJson, type Json, objectIn } from '../model/json.ts';
import { LIMITS, type TaskKind, type TemplateKind } from '../model/kind.ts';
import type { HttpResponse } from '../ports/transport.ts';
import { dateHeader } from './answers.ts';
import { bodyOf, checkBody, textOf, textsOf } from './body.ts';
import type { Context, OperationOutcome } from './context.ts';
import { expectFreeLabelName, nextSortOrder } from './labels.ts';
import type { StoredLabel, StoredReplay, StoredTask, StoredTemplate } from './records.ts';
import { Refused } from './refusal.ts';
import { parseIdempotencyKey } from './request.ts';
import { countLabels, showLabel, showTask, showTemplate } from './resources.ts';
import { quotaUsed, REPLAY_MEMORY } from './state.ts';
import { storedConfig, storedSet } from './storing.ts';
import { expectLabel } from './tasks.ts';
import { expectFreeTemplateName } from './templates.ts';

/**
 * A create in two steps, so that the idempotency key can be checked before or after the body: the first call checks the body,
 * the second checks the account and creates the resource.
 */
export type Create = (context: Context, raw: unknown) => () => Created;

interface Created extends OperationOutcome {
  /** The id of the new resource. */
  readonly resource: string;
}

/** `POST /{kind}/configs`: quota, a label of the account, unique target. The task starts paused, with version 1. */
export function taskCreate(kind: TaskKind): Create {
  return (context, raw) => {
    const { state, account, env } = context;
    const { choices, now } = env;
    const body = checkBody(raw, { name: bodyOf(kind.collection, 'Create'), config: kind.config }, choices);
    return () => {
      const label = body.risk_label_id;
      const task: StoredTask = {
        id: env.newId(),
        account: account.id,
        collection: kind.collection,
        remark: textOf(body.remark),
        target_wallet: textOf(body.target_wallet),
        ...(kind.linkedWallets ? { linked_wallets: storedSet(textsOf(body.linked_wallets), choices) } : {}),
        is_active: false,
        risk_label_id: label === undefined || label === null ? null : textOf(label),
        template_id: null,
        version: 1,
        created_at: now,
        updated_at: now,
        config: storedConfig(kind.config, objectIn(body.config), choices),
      };
      expectLabel(context, task.risk_label_id);
      inOrder(context, [
        () => expectFreeTarget(context, task, kind),
        () => {
          if (quotaUsed(state, account) < account.quota_max) return;
          throw new Refused('quota_exceeded', `The quota of ${account.quota_max} tasks is reached.`);
        },
      ]);
      return created(task.id, showTask(task, choices), task.version, { type: 'task', record: task });
    };
  };
}

/** `POST /{kind}/templates`: unique name, at most 1,000 templates. */
export function createTemplate(kind: TemplateKind): Create {
  return (context, raw) => {
    const { state, account, env } = context;
    const { choices, now } = env;
    const name = bodyOf(kind.collection, 'Create');
    const body = checkBody(raw, { name, config: kind.config, nameLimit: 64 }, choices);
    return () => {
      const template: StoredTemplate = {
        id: env.newId(),
        account: account.id,
        collection: kind.collection,
        name: textOf(body.name),
        version: 1,
        created_at: now,
        updated_at: now,
        config: storedConfig(kind.config, objectIn(body.config), choices),
      };
      inOrder(context, [
        () => expectFreeTemplateName(context, template),
        () => {
          if (state.holdings(account.id).templates.size < LIMITS.templates) return;
          throw new Refused(
            choices.template_limit_code,
            `The limit of ${LIMITS.templates} templates is reached.`,
          );
        },
      ]);
      return created(template.id, showTemplate(template, choices), 1, { type: 'template', record: template });
    };
  };
}

/** `POST /labels`: unique name, at most 20 labels, no `ETag`. */
export const createLabel: Create = (context, raw) => {
  const { state, account, env } = context;
  const { choices, now } = env;
  const required = choices.label_create_fields === 'both' ? ['sort_order'] : [];
  const body = checkBody(raw, { name: bodyOf('label', 'Create'), nameLimit: 32, required }, choices);
  return () => {
    const label: StoredLabel = {
      id: env.newId(),
      account: account.id,
      name: textOf(body.name),
      sort_order: typeof body.sort_order === 'number' ? body.sort_order : nextSortOrder(context),
      created_at: now,
      updated_at: now,
    };
    inOrder(context, [
      () => expectFreeLabelName(context, label),
      () => {
        if (state.holdings(account.id).labels.size < LIMITS.labels) return;
        throw new Refused('quota_exceeded', `The limit of ${LIMITS.labels} labels is reached.`);
      },
    ]);
    return created(label.id, showLabel(label, countLabels(context), choices), undefined, {
      type: 'label',
      record: label,
    });
  };
};

function inOrder({ env }: Context, checks: (() => void)[]): void {
  const ordered = env.choices.create_order === 'quota-first' ? checks.reverse() : checks;
  for (const check of ordered) check();
}

function expectFreeTarget({ state, account, env }: Context, task: StoredTask, kind: TaskKind): void {
  const { target_unique, target_taken_by } = env.choices;
  if (target_unique === 'copy-trade' && !kind.uniqueTarget) return;
  const holdings = state.holdings(account.id);
  const sameTarget = [...(holdings.targets.get(task.target_wallet) ?? [])];
  const taken = sameTarget.some(
    (id) => target_unique === 'across-kinds' || state.tasks.get(id)?.collection === kind.collection,
  );
  const linked =
    target_taken_by === 'target-or-linked' &&
    [...(holdings.tasks.get('copy-trade') ?? [])].some((other) =>
      other.linked_wallets?.includes(task.target_wallet),
    );
  if (taken || (linked && kind.linkedWallets)) {
    throw new Refused('target_already_exists', 'The target wallet is already used by an existing task.');
  }
}

function created(
  resource: string,
  data: NonNullable<OperationOutcome['data']>,
  etag: number | undefined,
  change: OperationOutcome['changes'][number],
): Created {
  return {
    resource,
    status: 201,
    data,
    ...(etag === undefined ? {} : { etag }),
    single: true,
    written: true,
    changes: [change],
  };
}

/** What is stored about one create (interface, `Idempotency-Key`: kept for 24 hours). */
export interface Remembered {
  readonly key: string;
  readonly fingerprint: string;
  /** An earlier, identical request within 24 hours, with its answer or only with its key. */
  readonly earlier: StoredReplay | undefined;
}

/** Throws `idempotency_required`, the chosen code for a malformed key, and `idempotency_conflict`. */
export function recall(context: Context, raw: Json): Remembered {
  const { request, env, state, account, token } = context;
  const { choices } = env;
  const name = parseIdempotencyKey(request, choices);
  const owner = {
    account: account.id,
    token: `${account.id} ${token.id}`,
    endpoint: `${account.id} ${request.pathname}`,
  }[choices.idempotency_scope];
  const key = `${owner} ${name}`;
  const body = choices.idempotency_body === 'bytes' ? request.body : canonicalJson(raw);
  const fingerprint = createHash('sha256').update(`${request.pathname}\n${body}`).digest('hex');
  const known = state.replays.get(key);
  const earlier = known !== undefined && env.now - known.at < REPLAY_MEMORY ? known : undefined;
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
    throw new Refused('idempotency_conflict', 'The Idempotency-Key was used with another body.');
  }
  return { key, fingerprint, earlier };
}

/** The first answer again: the same body with a new `X-Request-Id`. */
export function replay(earlier: StoredReplay, context: Context, requestId: string): HttpResponse | undefined {
  const { state, env } = context;
  const { choices } = env;
  if (earlier.answer === null) return undefined;
  const { status, body, etag } = earlier.answer;
  const resource = earlier.resource ?? '';
  const current = state.tasks.get(resource)?.version ?? state.templates.get(resource)?.version;
  const tag =
    choices.replay_etag === 'current' && current !== undefined && etag !== null ? `"v${current}"` : etag;
  return {
    status: status === 201 ? choices.replay_status : status,
    headers: {
      ...dateHeader(choices.replay_date === 'now' ? env.now : earlier.at, choices),
      'content-type': 'application/json; charset=utf-8',
      ...(tag === null ? {} : { etag: tag }),
      'x-request-id': requestId,
    },
    body,
  };
}

/** What is stored about an answer. Undefined for nothing. */
export function remember(
  { key, fingerprint }: Remembered,
  response: HttpResponse,
  resource: string | null,
  { env }: Context,
): StoredReplay | undefined {
  const failed = response.status >= 400;
  if (failed && env.choices.idempotency_failures === 'forgotten') return undefined;
  const bound = failed && env.choices.idempotency_failures === 'bound';
  const { status, body, headers } = response;
  return {
    key,
    fingerprint,
    at: env.now,
    answer: bound ? null : { status, body, etag: headers.etag ?? null },
    resource,
  };
}
