import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** The list of DEXes of a config or of buy parameters. Empty if there is none. */
export function dexesOf(value: Json | undefined): readonly string[] {
  const dexes = isObject(value) ? value.selected_dexes : undefined;
  return Array.isArray(dexes) ? dexes.filter((dex) => typeof dex === 'string') : [];
}

/** `dex_source`; its default is `global`. */
export function isGlobal({ dex_source: source = 'global' }: JsonObject): boolean {
  return source === 'global';
}
