import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { type Finding, fieldFinding, type Resource, type Scene, shown } from './scene.ts';
import { eachBuySet } from './spots.ts';

/** DEXes that tasks and templates name, of every tier; `dex_source: global` names none, and nobody can see which it takes. */
export function allowedDexes(
  { resources }: Scene,
  { limit }: Guardrail<readonly Listed[]>,
): readonly Finding[] {
  const allowed = limit.map(({ text }) => text);
  return resources.flatMap((resource) => [...globalSource(resource, allowed), ...named(resource, allowed)]);
}

function globalSource(resource: Resource, allowed: readonly string[]): readonly Finding[] {
  const { after, before } = resource;
  if (after.config.dex_source !== 'global') return [];
  const message = `${after.address}: config.dex_source is global, the account’s own list, which cannot be seen here, and allowed_dexes allows ${allowed.join(', ')}.`;
  const said = { message, hint: 'Write dex_source: config.' };
  return [fieldFinding(resource, 'config.dex_source', said, before?.config.dex_source !== 'global')];
}

function named(resource: Resource, allowed: readonly string[]): readonly Finding[] {
  const { definition, after, before } = resource;
  const former = before === undefined ? [] : dexLists(definition, before.config);
  // A list that did not count is not what was live.
  const counted = ['dex_source', 'buy_config_mode'].every(
    (field) => before?.config[field] === after.config[field],
  );
  return dexLists(definition, after.config).flatMap(({ dexes, path, key }) =>
    dexes.flatMap((dex, index) => {
      if (allowed.includes(dex)) return [];
      const message = `${after.address}: ${path} has ${shown(resource, path, dex)}, and allowed_dexes allows ${allowed.join(', ')}.`;
      const was = former.some((list) => list.key === key && list.dexes.includes(dex));
      const said = { message, hint: 'Remove it.' };
      return [fieldFinding(resource, `${path}[${index}]`, said, !(counted && was))];
    }),
  );
}

interface DexList {
  readonly dexes: readonly string[];
  readonly path: string;
  readonly key: string;
}

function dexLists(definition: ConfigDefinition, config: JsonObject): readonly DexList[] {
  const lists: DexList[] = [];
  const add = (list: Json | undefined, path: string, key: string) => {
    if (Array.isArray(list)) lists.push({ dexes: list.map(String), path, key });
  };
  add(config.selected_dexes, 'config.selected_dexes', 'config');
  if (definition !== 'sniperConfig') {
    eachBuySet(config, (set, place, key) => {
      if (isObject(set)) add(set.selected_dexes, `${place()}.selected_dexes`, key);
    });
  }
  return lists;
}
