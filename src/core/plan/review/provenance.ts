import type { CountLimit, GuardrailName, Limits } from '../../desired/guardrails/settings.ts';
import { idsOfChange } from '../../model/change.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type {
  Base,
  Change,
  Field,
  Left,
  Operation,
  Plan,
  PlanDiagnostic,
  Settled,
} from '../../model/generated/plan.ts';
import { canonicalJson, isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { isInPlace } from '../actions.ts';
import { codeOf } from '../guardrails/checks.ts';
import { isEmptyPlan } from '../plan.ts';
import { chainsOf } from './digest.ts';

/** The revision that a plan is compared with, and its plan on the same live view. */
interface BasePlan {
  readonly revision: string;
  readonly commit: string;
  /** Undefined if it cannot be planned: then every change is part of this change. */
  readonly plan: Plan | undefined;
}

/**
 * Marks every change, field and refusal that the base's plan has as well: it was pending or drifted before, and is not
 * part of this change. Both plans use one live view. The digest does not change, because the same is done.
 */
export function withProvenance(plan: Plan, base: BasePlan): Plan {
  const bases = base.plan?.changes ?? [];
  const pairs = pairUp(plan.changes, bases);
  const chain = {
    head: chainsOf(plan),
    base: base.plan === undefined ? chainsOf(plan) : chainsOf(base.plan),
  };
  const described: Base = {
    revision: base.revision,
    commit: base.commit,
    digest: base.plan?.digest ?? null,
    settled: settledOf(bases, pairs, plan.left ?? []),
  };
  const changes = plan.changes.map((change) => {
    const former = pairs.get(change);
    if (former === undefined) return markedChange(change, 'this-change', () => 'this-change');
    const same =
      signature(change, chain.head) === signature(former, chain.base) ? ('before' as const) : undefined;
    const of = (field: Field) => same ?? (hasField(former, field) ? 'before' : 'this-change');
    return markedChange(change, same ?? mixed(change, former), of);
  });
  const own = changes.filter(({ provenance }) => provenance !== 'before');
  const diagnostics = plan.diagnostics.map((item) =>
    isRefusalOf(item, base.plan) && !own.some((change) => isCountedBy(item.code, change))
      ? { ...item, provenance: 'before' as const }
      : item,
  );
  return { ...plan, base: described, changes, diagnostics };
}

/**
 * True if this change does something, blocks something or changes a rule; what the base would do as well does not
 * count.
 */
export function hasOwnDifference(plan: Plan): boolean {
  if (plan.rules_changed !== undefined && plan.rules_changed.length > 0) return true;
  if (plan.base === undefined) return !isEmptyPlan(plan) || plan.summary.blocked > 0;
  return plan.changes.some(
    ({ provenance, operations, blocked }) =>
      provenance !== 'before' && (operations.length > 0 || blocked !== null),
  );
}

/** True if the plan is refused, and the base's plan is not refused in the same words. */
export function isRefusedAnew(plan: Plan): boolean {
  return plan.diagnostics.some(({ severity, provenance }) => severity === 'error' && provenance !== 'before');
}

function markedChange(
  change: Change,
  provenance: NonNullable<Change['provenance']>,
  of: (field: Field) => NonNullable<Field['provenance']>,
): Change {
  return {
    ...change,
    fields: change.fields.map((field) => ({ ...field, provenance: of(field) })),
    provenance,
  };
}

/** The provenance of a change that differs at the base: part of it was there, or nothing. */
function mixed(change: Change, former: Change): 'both' | 'this-change' {
  const shared =
    change.fields.some((field) => hasField(former, field)) ||
    (change.held && former.held) ||
    (change.blocked !== null && former.blocked !== null);
  return shared ? 'both' : 'this-change';
}

function hasField({ fields }: Change, wanted: Field): boolean {
  return fields.some(
    ({ path, before, after }) =>
      path === wanted.path && equal(before, wanted.before) && equal(after, wanted.after),
  );
}

function equal(a: unknown, b: unknown): boolean {
  return jsonEqual(a as Json | undefined, b as Json | undefined);
}

/**
 * Which change of the base is about the same thing: the change of the same resource on the service, under any name, so that a
 * rename and a replacement find their former change; else the change of the same address.
 */
function pairUp(changes: readonly Change[], bases: readonly Change[]): ReadonlyMap<Change, Change> {
  const byAddress = new Map(bases.map((base) => [base.address, base]));
  const byResource = new Map(bases.flatMap((base) => resourcesOf(base).map((id) => [id, base] as const)));
  const pairs = new Map<Change, Change>();
  const taken = new Set<Change>();
  const pass = (find: (change: Change) => Change | undefined) => {
    for (const change of changes) {
      const found = pairs.has(change) ? undefined : find(change);
      if (found === undefined || taken.has(found)) continue;
      pairs.set(change, found);
      taken.add(found);
    }
  };
  const sameResource = (change: Change) => {
    const [found] = resourcesOf(change).flatMap((id) => byResource.get(id) ?? []);
    return found;
  };
  // If a name moved from one task to another, the task decides.
  pass((change) => [sameResource(change)].find((base) => base?.address === change.address));
  pass(sameResource);
  pass(({ address }) => byAddress.get(address));
  return pairs;
}

function resourcesOf(change: Change): readonly string[] {
  return idsOfChange(change).map((id) => `${change.kind}/${id}`);
}

type Chains = ReturnType<typeof chainsOf>;

function sentBy({ verb, subject, body, settle_ms, read_first }: Operation): Json {
  const { remark, ...rest } = (body ?? {}) as JsonObject;
  // The version in the marker says from which commit: it differs by itself.
  const said = isObject(remark ?? null) ? { ...(remark as JsonObject), version: null } : (remark ?? null);
  return [verb, subject, { ...rest, remark: said }, settle_ms ?? 0, read_first ?? false];
}

/** Equal for two changes that agree in everything that is done, held or blocked. */
function signature(change: Change, chains: Chains): string {
  const { address, previous_address, id, replaces_id, actions, fields, held, blocked } = change;
  const { starts_trading, stops_trading } = change;
  const values = fields.map(({ path, before, after }) => ({ path, before, after }));
  // Absent is not null: undefined values are dropped here, as in the document itself.
  const plain = JSON.stringify({
    ...{ address, previous_address, id, replaces_id, actions, fields: values, held, blocked },
    ...{ starts_trading, stops_trading, chain: (chains.get(address) ?? []).map(sentBy) },
  });
  return canonicalJson(JSON.parse(plain) as Json);
}

/**
 * Sorted by address: changes that disappeared, and fields that disappeared from a change that remains. What `--only` leaves is not
 * settled, because it still differs.
 */
function settledOf(
  bases: readonly Change[],
  pairs: ReadonlyMap<Change, Change>,
  left: readonly Left[],
): Settled[] {
  const kept = new Map([...pairs].map(([change, base]) => [base, change]));
  const leftAt = new Set(left.map(({ address }) => address));
  const settled = bases.flatMap((base): Settled[] => {
    const change = kept.get(base);
    const { address, actions } = base;
    if (leftAt.has(address)) return [];
    if (change === undefined) return [{ address, actions: [...actions] }];
    if (![base, change].every(({ action, blocked }) => isInPlace(action) && blocked === null)) return [];
    const paths = new Set(change.fields.map(({ path }) => path));
    const fields = base.fields.map(({ path }) => path).filter((path) => !paths.has(path));
    return fields.length === 0 ? [] : [{ address: change.address, actions: [...actions], fields }];
  });
  return settled.sort((a, b) => compareTexts(a.address, b.address));
}

/**
 * The changes that guardrails count. Their messages name only some of the changes, so a change of this revision may be hidden
 * behind equal messages.
 */
const COUNTED: Readonly<Record<CountName, (change: Change) => boolean>> = {
  max_deletes: ({ actions }) => actions.includes('delete'),
  max_starts: ({ starts_trading }) => starts_trading,
  max_changes: ({ operations }) => operations.length > 0,
};

type CountName = {
  [Name in GuardrailName]: Limits[Name] extends CountLimit ? Name : never;
}[GuardrailName];

function isCountedBy(code: string, change: Change): boolean {
  return Object.entries(COUNTED).some(
    ([name, counts]) => codeOf(name as CountName) === code && counts(change),
  );
}

/** A guardrail that refuses the base in the same words. The hint differs: it names the plan. */
function isRefusalOf(item: PlanDiagnostic, base: Plan | undefined): boolean {
  if (item.severity !== 'error' || !item.code.startsWith('guardrail-')) return false;
  return (
    base?.diagnostics.some(
      ({ severity, code, message, address }) =>
        severity === 'error' && code === item.code && message === item.message && address === item.address,
    ) === true
  );
}
