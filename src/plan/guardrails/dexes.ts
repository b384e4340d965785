import type { Guardrail, Listed } from '../../desired/guardrails/settings.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ConfigDefinition } from '../../model/kind.ts';
import { eachBuySet } from './config-amounts.ts';
import {
  fieldFinding,
  type GuardrailFinding,
  type JudgedResource,
  type JudgedState,
  shownValue,
} from './judged.ts';

/**
 * `allowed_dexes`: DEXes in tasks and templates, in every tier. `dex_source: global` names none, and tradeform cannot
 * see the account's list.
 */
export function allowedDexes(
  { resources }: JudgedState,
  { limit }: Guardrail<readonly Listed[]>,
): readonly GuardrailFinding[] {
  const allowed = limit.map(({ text }) => text);
  return resources.flatMap((resource) => [...globalSource(resource, allowed), ...named(resource, allowed)]);
}

function globalSource(resource: JudgedResource, allowed: readonly string[]): readonly GuardrailFinding[] {
  const { after } = resource;
  if (after.config.dex_source !== 'global') return [];
  const message = `${after.address}: config.dex_source is global, so the account’s own list decides, which tradeform cannot see; allowed_dexes allows ${allowed.join(', ')}.`;
  const said = { message, hint: 'Write dex_source: config.' };
  return [fieldFinding(resource, 'config.dex_source', said, resource.before?.config.dex_source !== 'global')];
}

function named(resource: JudgedResource, allowed: readonly string[]): readonly GuardrailFinding[] {
  const { definition, after, before } = resource;
  const former = before === undefined ? [] : dexLists(definition, before.config);
  const lists = dexLists(definition, after.config);
  const same = (field: string) => before?.config[field] === after.config[field];
  // A list that was not in effect is not the live one: the task's list counts for tiers that do not narrow it.
  const wakes = (dex: string) =>
    usedDexes(after.config).includes(dex) && !usedDexes(before?.config ?? {}).includes(dex);
  const counted = ({ key }: DexList, dex: string) =>
    same('dex_source') && (key === TASK ? !wakes(dex) : same('buy_config_mode'));
  // A tier whose market caps change is identified by its position, if no other tier has these market caps now.
  const formerOf = ({ key, path }: DexList) =>
    former.find((list) => list.key === key) ??
    former.find((list) => list.path === path && lists.every((other) => other.key !== list.key));
  return lists.flatMap((list) => {
    const { dexes, path } = list;
    const was = formerOf(list)?.dexes ?? [];
    return dexes.flatMap((dex, index) => {
      if (allowed.includes(dex)) return [];
      const message = `${after.address}: ${path} contains ${shownValue(resource, path, dex)}, but allowed_dexes allows ${allowed.join(', ')}.`;
      const said = { message, hint: 'Remove this DEX.' };
      return [fieldFinding(resource, `${path}[${index}]`, said, !counted(list, dex) || !was.includes(dex))];
    });
  });
}

/** The DEXes in use: the task's own list as far as tiers use it, and the lists of the tiers. */
function usedDexes({ selected_dexes: own = [], buy_config_mode: mode, buy_config_tiers: tiers }: JsonObject) {
  const lists = mode === 'tiered' && Array.isArray(tiers) ? tiers : [null];
  return lists.flatMap((tier) => {
    const narrowed = isObject(tier) ? tier.selected_dexes : undefined;
    const list = Array.isArray(narrowed) && narrowed.length > 0 ? narrowed : own;
    return Array.isArray(list) ? list : [];
  });
}

/** The key of the task's own list, as opposed to a tier's. */
const TASK = 'config';

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
  add(config.selected_dexes, 'config.selected_dexes', TASK);
  if (definition !== 'sniperConfig') {
    eachBuySet(config, (set, place, key) => {
      if (isObject(set)) add(set.selected_dexes, `${place()}.selected_dexes`, key);
    });
  }
  return lists;
}
