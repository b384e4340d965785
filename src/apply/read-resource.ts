import { isObject, type JsonObject } from '../model/json.ts';
import { type Collection, kindOf } from '../model/kind.ts';
import type { LiveLabel, LiveResource, LiveTask, LiveTemplate } from '../model/resource.ts';

/**
 * The resource in an answer's `data` (interface, "Resources and their fields"); undefined where a field that decisions
 * rest on is missing or has another type: such an answer counts as unreadable.
 *
 * @param version from the `ETag` header, which goes before `data.version`.
 */
export function readResource(
  collection: Collection,
  data: JsonObject | null,
  version: number | undefined,
): LiveResource | undefined {
  if (data === null || typeof data.id !== 'string') return undefined;
  const kind = kindOf(collection);
  switch (kind.family) {
    case 'task':
      return readTask(kind.collection, data, version);
    case 'template':
      return readTemplate(kind.collection, data, version);
    case 'label':
      return readLabel(data);
  }
}

export function isTask(resource: LiveResource): resource is LiveTask {
  return kindOf(resource.collection).family === 'task';
}

export function isLabel(resource: LiveResource): resource is LiveLabel {
  return resource.collection === 'label';
}

/** The version of a task or template; labels have none. */
export function versionOf(resource: LiveResource): number | undefined {
  return isLabel(resource) ? undefined : resource.version;
}

function readTask(
  collection: LiveTask['collection'],
  data: JsonObject,
  etag: number | undefined,
): LiveTask | undefined {
  const { id, remark, target_wallet, is_active, risk_label_id, linked_wallets, config } = data;
  const version = etag ?? integer(data.version);
  if (typeof id !== 'string' || typeof remark !== 'string' || typeof target_wallet !== 'string')
    return undefined;
  if (typeof is_active !== 'boolean' || version === undefined || !isObject(config)) return undefined;
  const wallets = linked_wallets === undefined ? undefined : strings(linked_wallets);
  if (linked_wallets !== undefined && wallets === undefined) return undefined;
  return {
    collection,
    id,
    remark,
    target_wallet,
    ...(wallets === undefined ? {} : { linked_wallets: wallets }),
    is_active,
    risk_label_id: typeof risk_label_id === 'string' ? risk_label_id : null,
    version,
    created_at: text(data.created_at),
    updated_at: text(data.updated_at),
    config,
  };
}

function readTemplate(
  collection: LiveTemplate['collection'],
  data: JsonObject,
  etag: number | undefined,
): LiveTemplate | undefined {
  const { id, name, config } = data;
  const version = etag ?? integer(data.version);
  if (typeof id !== 'string' || typeof name !== 'string' || version === undefined || !isObject(config)) {
    return undefined;
  }
  const { created_at, updated_at } = data;
  return {
    collection,
    id,
    name,
    version,
    created_at: text(created_at),
    updated_at: text(updated_at),
    config,
  };
}

function readLabel({ id, name, sort_order }: JsonObject): LiveLabel | undefined {
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { collection: 'label', id, name, sort_order: integer(sort_order) ?? null };
}

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}
