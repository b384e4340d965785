import type { Path } from '../../manifest/spans.ts';
import type { Json } from '../../model/json.ts';

export const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;

export function hasType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (value === null) return type === 'null';
  return type === (Array.isArray(value) ? 'array' : typeof value);
}

/** The number of values inside a value. Infinity if it is deeper than `deepest` levels. */
export function sizeOf(value: Json, deepest = Number.POSITIVE_INFINITY): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (deepest === 0) return Number.POSITIVE_INFINITY;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item, deepest - 1), 1);
}

/** `spec.config.buy_config_tiers[1].relay_tip`. */
export function dotted(path: Path): string {
  return path.reduce<string>(below, '');
}

export function below(path: string, key: string | number): string {
  return typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
}
