import type { DesiredState, DesiredTask, DesiredTemplate } from '../../desired/state.ts';
import type { Location } from '../../diagnostics/diagnostic.ts';
import type { Change, Plan } from '../../model/generated/plan.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type ConfigDefinition, kindOf } from '../../model/kind.ts';
import { parseRemark } from '../../model/marker.ts';
import type { LiveState, LiveTask } from '../../model/resource.ts';
import { isSecretPath, SECRET } from '../../model/secret.ts';
import { afterwards } from '../after.ts';
import { ownedTasks } from '../policy.ts';
import type { Stake } from '../stakes.ts';
import { keptConfig } from '../wanted.ts';

/** What guardrails look at: a plan that is made, and what it was made from. */
export interface Scene {
  readonly changes: readonly Change[];
  /** With the amounts that are shown nowhere. */
  readonly stakes: readonly Stake[];
  readonly desired: DesiredState;
  /** How many tasks of this project are on the service. */
  readonly owned: number;
  /** The addresses in their markers: some are in no manifest. */
  readonly ownedAddresses: readonly string[];
  readonly resources: readonly Resource[];
  /** What names in the guardrails' lists of wallets stand for: those of the revision that the guardrails are of. */
  readonly book: DesiredState['wallets'];
}

/** A task or template that the manifests describe. */
export interface Resource {
  readonly desired: DesiredTask | DesiredTemplate;
  readonly definition: ConfigDefinition;
  /** As it is once the plan is carried out: where `ignore_changes` keeps a live value, that one. */
  readonly config: JsonObject;
  readonly change: Change | undefined;
  /** The plan creates, changes, starts or replaces it; otherwise it is there already and may only be pointed at. */
  readonly touched: boolean;
}

/** What a guardrail found, before it is settled whether that refuses the plan. */
export interface Finding {
  /** Names guardrail, value, limit and address. */
  readonly message: string;
  /** What to do about it, beside letting it through. */
  readonly hint: string;
  readonly address?: string;
  readonly location?: Location | undefined;
  /** The plan brings it about. */
  readonly touched: boolean;
}

export function sceneOf(
  { changes, operations }: Pick<Plan, 'changes' | 'operations'>,
  desired: DesiredState,
  live: LiveState,
  stakes: readonly Stake[],
): Scene {
  const after = afterwards(operations, live);
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const owned = ownedTasks(desired, live);
  const owners = ownersByAddress(owned, desired.project);
  const describe = (item: Resource['desired'], definition: ConfigDefinition): Resource => {
    const change = byAddress.get(item.address);
    return {
      desired: item,
      definition,
      config: change === undefined ? unchangedConfig(item, owners) : (after(change).config ?? item.config),
      change,
      touched: change !== undefined && touches(change),
    };
  };
  const resources = [
    ...desired.templates.map((item) => describe(item, kindOf(item.collection).config)),
    ...desired.tasks.map((item) => describe(item, kindOf(item.collection).config)),
  ];
  const ownedAddresses = [...owners.keys()];
  return { changes, stakes, desired, owned: owned.length, ownedAddresses, resources, book: desired.wallets };
}

/** Where two carry an address, the one with the project's name of now counts. */
function ownersByAddress(owned: readonly LiveTask[], project: string): ReadonlyMap<string, LiveTask> {
  const before = new Map<string, LiveTask>();
  const now = new Map<string, LiveTask>();
  for (const task of owned) {
    const parsed = parseRemark(task.remark);
    if (parsed.type !== 'marked') continue;
    const { marker } = parsed;
    (marker.project === project ? now : before).set(`${task.collection}/${marker.name}`, task);
  }
  return new Map([...before, ...now]);
}

/** A task in no change is as the manifest wants it, except where `ignore_changes` keeps what is live. */
function unchangedConfig(item: Resource['desired'], owners: ReadonlyMap<string, LiveTask>): JsonObject {
  const owner = owners.get(item.address);
  return 'ignoreChanges' in item && owner !== undefined ? keptConfig(item, owner.config) : item.config;
}

const WRITES: ReadonlySet<Change['action']> = new Set(['create', 'replace', 'start', 'finish']);

const NO_VALUES: ReadonlySet<string> = new Set(['state', 'name', 'project']);

/** A rename, a renewed mark, an adoption of what is as wanted, or a stop alone leaves the values as they are. */
function touches({ actions, fields, operations }: Change): boolean {
  if (operations.length === 0) return false;
  return actions.some((action) => WRITES.has(action)) || fields.some(({ path }) => !NO_VALUES.has(path));
}

/** The finding about one field of a resource. */
export function fieldFinding(
  { desired, touched }: Resource,
  path: string,
  message: string,
  hint: string,
): Finding {
  return { message, hint, address: desired.address, location: desired.origin(path), touched };
}

const MOST_SHOWN = 60;

/** The value at a path as messages show it: texts bare where they are a word, all else as JSON; secret ones never. */
export function shown({ desired }: Resource, path: string, value: Json | undefined): string {
  const { secrets = [] } = desired;
  const holdsMore = typeof value === 'object' && value !== null;
  if (secrets.length > 0 && (holdsMore || isSecretPath(secrets, path))) return SECRET;
  if (value === undefined) return 'absent';
  const text = typeof value === 'string' && /^[\w.%/-]+$/.test(value) ? value : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

const MOST_NAMED = 5;

/** `sniper/a, sniper/b and 7 more`. */
export function named(addresses: readonly string[]): string {
  const first = addresses.slice(0, MOST_NAMED).join(', ');
  const more = addresses.length - MOST_NAMED;
  return more > 0 ? `${first} and ${more} more` : first;
}
