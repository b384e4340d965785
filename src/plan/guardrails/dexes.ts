import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import { isObject, type Json } from '../../model/json.ts';
import { eachBuySet } from './amounts.ts';
import { type Finding, fieldFinding, type Resource, type Scene, shown } from './scene.ts';

/** DEXes that tasks and templates name, of every tier; `dex_source: global` names none, and nobody can see which it takes. */
export function allowedDexes(
  { resources }: Scene,
  { limit }: Guardrail<readonly Listed[]>,
): readonly Finding[] {
  const allowed = limit.map(({ text }) => text);
  return resources.flatMap((resource) => [...globalSource(resource, allowed), ...named(resource, allowed)]);
}

function globalSource(resource: Resource, allowed: readonly string[]): readonly Finding[] {
  if (resource.config.dex_source !== 'global') return [];
  const text = `${resource.desired.address}: config.dex_source is global, the account’s own list, which cannot be seen here, and allowed_dexes allows ${allowed.join(', ')}.`;
  return [fieldFinding(resource, 'config.dex_source', text, 'Write dex_source: config.')];
}

function named(resource: Resource, allowed: readonly string[]): readonly Finding[] {
  const { definition, config, desired } = resource;
  const lists: { readonly list: Json | undefined; readonly path: string }[] = [
    { list: config.selected_dexes, path: 'config.selected_dexes' },
  ];
  if (definition !== 'sniperConfig') {
    eachBuySet(config, (set, place) => {
      if (isObject(set)) lists.push({ list: set.selected_dexes, path: `${place()}.selected_dexes` });
    });
  }
  return lists.flatMap(({ list, path }) =>
    (Array.isArray(list) ? list : []).flatMap((dex, index) => {
      if (allowed.includes(String(dex))) return [];
      const text = `${desired.address}: ${path} has ${shown(resource, path, dex)}, and allowed_dexes allows ${allowed.join(', ')}.`;
      return [fieldFinding(resource, `${path}[${index}]`, text, 'Remove it.')];
    }),
  );
}
