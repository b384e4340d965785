import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind, TaskKind } from '../../model/kind.ts';
import { type BaseKind, baseKindOf } from './bases.ts';
import type { Layer } from './layer.ts';
import { mergePatch } from './merge.ts';

/** What a manifest extends, and the config that this makes. */
export interface MergedBases {
  readonly layers: readonly Layer[];
  readonly whole: boolean;
  readonly config: JsonObject;
}

/** A config with those of layers merged into it, in their order. */
export function mergedConfig(config: JsonObject, layers: readonly Layer[]): JsonObject {
  const result = layers.reduce<Json>((before, { value }) => {
    const own = isObject(value.spec) ? value.spec.config : undefined;
    return own === undefined ? before : mergePatch(before, own);
  }, config);
  return isObject(result) ? result : {};
}

export const NO_BASES: MergedBases = { layers: [], whole: true, config: {} };

export function baseKind(kind: Kind): BaseKind | undefined {
  if (kind.family === 'label') return undefined;
  return kind.family === 'task' ? baseKindOfTask(kind) : baseKindOf(kind.config);
}

export function baseKindOfTask({ config, collection }: TaskKind): BaseKind {
  return { config, purpose: collection };
}
