import type {
  CountLimit,
  Guardrail,
  GuardrailName,
  Limits,
  Listed,
  RiseLimit,
} from '../../desired/guardrails/settings.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../model/address.ts';
import { addDecimals, compareDecimals, growsBeyond, signedDifference } from '../../model/decimal.ts';
import type { DiagnosticCode } from '../../model/generated/codes.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { type ConfigDefinition, isTaskCollection } from '../../model/kind.ts';
import { count, named } from '../../model/named.ts';
import { SECRET } from '../../model/secret.ts';
import { walletsIn } from '../../model/wallets.ts';
import { formerSpots, type Role, type Spot, spotsOf } from '../stakes/amounts.ts';
import { buySets } from '../stakes/buy-sets.ts';
import {
  fieldFinding,
  type GuardrailFinding,
  type JudgedChange,
  type JudgedResource,
  type JudgedState,
  shownValue,
} from './judged.ts';

/** The findings of one guardrail: a pure function of what is judged and of the limit. */
type Find<Limit> = (judged: JudgedState, guardrail: Guardrail<Limit>) => readonly GuardrailFinding[];

const MOST_NAMED = 5;

const HARMS = [
  { action: 'delete', verb: 'deletes', path: 'state' },
  { action: 'replace', verb: 'replaces', path: 'target_wallet' },
  { action: 'stop', verb: 'stops', path: 'state' },
  { action: 'release', verb: 'releases', path: 'state' },
] as const;

/**
 * Addresses that must not be deleted, replaced, stopped or released, or renamed to an address outside the list, because
 * the next plan could then do the rest. A pause during an update is not a stop.
 */
const protect: Find<readonly Listed[]> = ({ changes, resources, removals }, { limit }) => {
  const origins = new Map<string, (path: string) => Location | undefined>([
    ...resources.map(({ after }) => [after.address, after.origin] as const),
    ...removals.map(({ address, origin }) => [address, origin] as const),
  ]);
  return changes.flatMap((change) => {
    const entry = limit.find(({ text }) =>
      [change.address, change.previous_address].some((item) => item !== null && matchesAddress(text, item)),
    );
    if (entry === undefined) return [];
    const harm = HARMS.find(({ action }) => change.actions.includes(action)) ?? renamedAway(change, limit);
    if (harm === undefined) return [];
    return [
      {
        message: `The plan ${harm.verb} ${change.address}, but protect contains ${entry.text}.`,
        hint: 'Undo the change in the manifests',
        limit: entry.location,
        address: change.address,
        // Tasks that prune.tasks deletes are in no manifest.
        location: origins.get(change.address)?.(harm.path) ?? entry.location,
        worse: true,
      },
    ];
  });
};

/** A rename to an address that no entry covers. */
function renamedAway({ address, previous_address }: JudgedChange, limit: readonly Listed[]) {
  if (previous_address === null || limit.some(({ text }) => matchesAddress(text, address))) return undefined;
  return { verb: `renames ${previous_address} to`, path: 'metadata.previous_name' };
}

/**
 * The completion of an interrupted apply was counted when that apply began, and must be able to converge. For the same
 * reason the default does not count new tasks: an interrupted first apply continues with thousands of them. Tasks that
 * `tradeform pause` stopped do not count either, so that the operator can resume them.
 */
function isStart({ starts, returns, actions }: JudgedChange, standard: boolean): boolean {
  return starts && !(standard && (returns === true || actions.includes('create')));
}

function most(
  name: 'max_deletes' | 'max_changes' | 'max_starts',
  verb: string,
  counts: (change: JudgedChange, standard: boolean) => boolean,
): Find<CountLimit> {
  return ({ changes: all, owned, what }, { limit, location, standard }) => {
    const changes = all.filter((change) => counts(change, standard));
    // Without tasks a percentage is meaningless: a first plan would never pass.
    if (owned === 0 && limit.count === 0 && limit.percent > 0) return [];
    const allowed = Math.max(limit.count, Math.ceil((owned * limit.percent) / 100));
    if (changes.length <= allowed) return [];
    const sort =
      name !== 'max_changes' && changes.every(({ kind }) => isTaskCollection(kind)) ? 'task' : 'resource';
    const things = count(changes.length, sort);
    const addresses = changes.map(({ address }) => address);
    return [
      {
        message: `The ${what} ${verb} ${things} (${named(addresses, MOST_NAMED)}), but ${name} allows ${allowed}${limitText(limit, owned)}.`,
        hint: what === 'plan' ? 'Split the change' : 'Name fewer tasks',
        location,
        worse: true,
      },
    ];
  };
}

function limitText({ count: most, percent }: CountLimit, owned: number): string {
  if (percent === 0) return '';
  const share = `${percent}% of ${count(owned, 'owned task')}`;
  return most === 0 ? `, ${share}` : `, the greater of ${most} and ${share}`;
}

/** All running tasks together, including those with secret amounts. A plan that does not raise the sum is never refused. */
const maxExposure: Find<string> = ({ stakes, what }, { limit, location }) => {
  const { before, after } = sumsOf(stakes);
  if (compareDecimals(after, limit) <= 0) return [];
  const secret = stakes.some((stake) => stake.secret);
  const sums = secret ? 'an amount that is partly secret' : `${after} SOL (now ${before})`;
  return [
    {
      message: `The ${what} puts ${sums} at stake per trigger, but max_exposure allows ${limit} SOL.`,
      hint: 'Lower amounts or pause tasks',
      location,
      worse: compareDecimals(after, before) > 0,
    },
  ];
};

/**
 * How much one plan raises the sum, without tasks that resume after the operator's switch. A percentage has no effect
 * while nothing is at stake: a first plan would never pass.
 */
const maxExposureRise: Find<RiseLimit> = ({ stakes, what }, { limit, location }) => {
  const { before, after } = sumsOf(
    stakes.map((stake) => (stake.returns === true ? { ...stake, before: stake.after } : stake)),
  );
  const rise = signedDifference(before, after).replace('+', '');
  const over =
    'sol' in limit
      ? compareDecimals(rise, limit.sol) > 0
      : growsBeyond(before, after, addDecimals(['1', percentOf(limit.percent)]));
  if (!over) return [];
  const secret = stakes.some((stake) => stake.secret);
  const more = secret ? 'an amount that is partly secret' : `${rise} SOL (from ${before} to ${after})`;
  const allows = 'sol' in limit ? `${limit.sol} SOL` : `${limit.percent}%`;
  return [
    {
      message: `The ${what} raises the stake per trigger by ${more}, but max_exposure_rise allows ${allows}.`,
      hint: 'Split the change or lower amounts',
      location,
      worse: true,
    },
  ];
};

/** 20 → `0.20`. */
function percentOf(percent: number): string {
  const digits = String(percent).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function sumsOf(stakes: JudgedState['stakes']) {
  return {
    before: addDecimals(stakes.map((stake) => stake.before)),
    after: addDecimals(stakes.map((stake) => stake.after)),
  };
}

const maxTaskExposure: Find<string> = ({ resources, stakes }, { limit }) => {
  const byAddress = new Map(stakes.map((stake) => [stake.address, stake]));
  return resources.flatMap((resource) => {
    const { address } = resource.after;
    const stake = byAddress.get(address);
    if (stake === undefined || compareDecimals(stake.after, limit) <= 0) return [];
    const message = `${address}: ${stake.secret ? SECRET : stake.after} SOL at stake per trigger, but max_task_exposure allows ${limit} SOL.`;
    const worse = compareDecimals(stake.after, stake.before) > 0;
    return [fieldFinding(resource, 'config', { message, hint: 'Lower its amounts' }, worse)];
  });
};

function maxAmount(role: Role): Find<string> {
  const unit = role === 'slippage' ? 'percent' : 'SOL';
  return ({ resources }, { limit }) =>
    resources.flatMap((resource) => {
      const { after, definition } = resource;
      const over = spotsOf(definition, after.config, { role, above: limit });
      if (over.length === 0) return [];
      const { before } = resource;
      const spots = spotsOf(definition, after.config);
      const former = formerSpots(before === undefined ? [] : spotsOf(definition, before.config), spots);
      return over.map((spot) => {
        const { path, value } = spot;
        const was = former(spot);
        const worse =
          was === undefined || (spot.awake && !was.awake) || compareDecimals(value, was.value) > 0;
        const message = `${after.address}: ${path} is ${shownValue(resource, path, value)}, but max_${role} allows ${limit} ${unit}.`;
        return fieldFinding(resource, path, { message, hint: 'Lower the value' }, worse);
      });
    });
}

/**
 * Amounts of every role that a plan changes: "10" for "0.10" is below every limit. An amount is compared with the live
 * config; in a replacement, with the config of the replaced task. Amounts that are off count too, because a later start
 * would spend them. An amount that was 0 or absent has no factor: the other limits apply.
 */
const maxFactor: Find<string> = ({ resources }, { limit }) =>
  resources.flatMap((resource) => {
    const { after, definition, written } = resource;
    const before = written ? resource.before : undefined;
    if (before === undefined) return [];
    const spots = spotsOf(definition, after.config);
    const live = spotsOf(definition, before.config);
    const former = formerSpots(live, spots);
    const largest = largestBuy(live);
    return spots.flatMap((spot) => {
      const same = former(spot);
      // The other mode, or another tier: an amount that begins to buy is compared with the largest one that bought
      // before.
      const begins = spot.role === 'buy_amount' && spot.awake && same?.awake !== true;
      const was = begins ? (largest ?? same) : same;
      if (was === undefined || !growsBeyond(was.value, spot.value, limit)) return [];
      const values = `from ${shownValue(resource, was.path, was.value)} to ${shownValue(resource, spot.path, spot.value)}`;
      const grows = was === same ? 'grows' : 'makes the largest buy grow';
      const message = `${after.address}: ${spot.path} ${grows} ${values}, but max_factor allows ${limit} times as much.`;
      const hint = 'Check the decimal point and lower the value';
      return [fieldFinding(resource, spot.path, { message, hint }, true)];
    });
  });

function largestBuy(spots: readonly Spot[]): Spot | undefined {
  const [largest] = spots
    .filter(({ role, awake }) => role === 'buy_amount' && awake)
    .toSorted((a, b) => compareDecimals(b.value, a.value));
  return largest;
}

/**
 * DEXes in tasks and templates, in every tier. `dex_source: global` names none, and tradeform cannot see the account's
 * list.
 */
const allowedDexes: Find<readonly Listed[]> = ({ resources }, { limit }) => {
  const allowed = limit.map(({ text }) => text);
  return resources.flatMap((resource) => [
    ...globalSource(resource, allowed),
    ...namedDexes(resource, allowed),
  ]);
};

function globalSource(resource: JudgedResource, allowed: readonly string[]): readonly GuardrailFinding[] {
  const { after } = resource;
  if (after.config.dex_source !== 'global') return [];
  const message = `${after.address}: config.dex_source is global, so the account’s own list decides, which tradeform cannot see; allowed_dexes allows ${allowed.join(', ')}.`;
  const said = { message, hint: 'Write dex_source: config' };
  return [fieldFinding(resource, 'config.dex_source', said, resource.before?.config.dex_source !== 'global')];
}

function namedDexes(resource: JudgedResource, allowed: readonly string[]): readonly GuardrailFinding[] {
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
      const said = { message, hint: 'Remove this DEX' };
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
  return buySets(definition, config).flatMap(({ set, place, key }) => {
    const list = isObject(set) ? set.selected_dexes : undefined;
    return Array.isArray(list)
      ? [{ dexes: list.map(String), path: `${place}.selected_dexes`, key: key() }]
      : [];
  });
}

const allowedWallets: Find<readonly Listed[]> = (judged, { limit }) => {
  const allowed = entriesOf(limit, judged);
  const texts = limit.map(({ text }) => text);
  const hint = 'Use an allowed wallet';
  const problem = { says: `allowed_wallets allows ${named(texts, MOST_NAMED)}`, hint };
  return walletFindings(judged, (wallet) => (allowed.has(wallet) ? undefined : problem));
};

const forbiddenWallets: Find<readonly Listed[]> = (judged, { limit }) => {
  const forbidden = entriesOf(limit, judged);
  return walletFindings(judged, (wallet) => {
    const entry = forbidden.get(wallet);
    return entry === undefined
      ? undefined
      : { says: `forbidden_wallets names ${entry}`, hint: 'Use another wallet' };
  });
};

/** The entries of a list by address. Names come from wallet books; it was checked that they exist. */
function entriesOf(limit: readonly Listed[], { book }: JudgedState): ReadonlyMap<string, string> {
  return new Map(limit.map(({ text }) => [book.get(text) ?? text, text]));
}

function walletFindings(
  { resources, wallets }: JudgedState,
  problemOf: (wallet: string) => { readonly says: string; readonly hint: string } | undefined,
): readonly GuardrailFinding[] {
  const names = new Map([...wallets].map(([name, address]) => [address, name]));
  return resources.flatMap((resource) => {
    const { after } = resource;
    const followed = walletsIn(resource.before ?? {}).map(({ wallet }) => wallet);
    return walletsIn(after).flatMap(({ wallet, path }) => {
      const problem = problemOf(wallet);
      if (problem === undefined) return [];
      const name = names.get(wallet);
      const written = shownValue(resource, path, wallet);
      const who = name === undefined ? written : `${written} (${name})`;
      const message = `${after.address}: ${path} is ${who}, but ${problem.says}.`;
      return [fieldFinding(resource, path, { message, hint: problem.hint }, !followed.includes(wallet))];
    });
  });
}

const requireLabel: Find<Limits['require_label']> = ({ resources }, { limit }) => {
  const allowed = limit === true ? undefined : limit.map(({ text }) => text);
  const wants = allowed === undefined ? 'requires one' : `requires one of ${allowed.join(', ')}`;
  return resources.flatMap((resource) => {
    const { after } = resource;
    if (!('label' in after)) return [];
    const { address, label } = after;
    if (label !== null && (allowed === undefined || allowed.includes(label))) return [];
    const message = `${address} has ${label === null ? 'no label' : `the label ${label}`}, but require_label ${wants}.`;
    const { before } = resource;
    const worse = before === undefined || !('label' in before) || before.label !== label;
    return [fieldFinding(resource, 'label', { message, hint: 'Write spec.label' }, worse)];
  });
};

type Dashed<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}-${Dashed<Rest>}`
  : Name;

export function codeOf(guardrail: GuardrailName): DiagnosticCode {
  return `guardrail-${guardrail.replaceAll('_', '-') as Dashed<GuardrailName>}`;
}

export const CHECKS: { readonly [Name in GuardrailName]: Find<Limits[Name]> } = {
  protect,
  /** Tasks, and resources of Removals, that are deleted; replacements do not count. */
  max_deletes: most('max_deletes', 'deletes', ({ actions }) => actions.includes('delete')),
  /** Tasks, templates and labels that are written to. */
  max_changes: most('max_changes', 'changes', ({ written }) => written),
  max_starts: most('max_starts', 'starts', isStart),
  max_exposure: maxExposure,
  max_exposure_rise: maxExposureRise,
  max_task_exposure: maxTaskExposure,
  max_buy_amount: maxAmount('buy_amount'),
  max_tip: maxAmount('tip'),
  max_priority_fee: maxAmount('priority_fee'),
  max_slippage: maxAmount('slippage'),
  max_factor: maxFactor,
  allowed_dexes: allowedDexes,
  allowed_wallets: allowedWallets,
  forbidden_wallets: forbiddenWallets,
  require_label: requireLabel,
};
