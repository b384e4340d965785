import { byKey } from '../../model/by-key.ts';
import { overlaps } from '../../model/field-path.ts';
import type { Action, Plan } from '../../model/generated/plan.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { SECRET } from '../../model/secret.ts';
import { type DigestedChange, type DigestedStep, digested } from './digest.ts';

/** One value in the approved and in the current plan; left out if a plan does not have it. */
export interface ApprovedDifference {
  readonly path: string;
  readonly approved?: Json;
  readonly now?: Json;
}

export interface ChangeDifference {
  readonly address: string;
  readonly actions: readonly Action[];
  /** For a change in one plan only: all of its fields, each `{before, after}`. */
  readonly differences: readonly ApprovedDifference[];
}

/** Why two plans have different digests: everything that the digest covers, side by side. */
export interface PlanDifference {
  /** Another project, environment, service or account. */
  readonly subject: readonly ApprovedDifference[];
  /** Approved, but no longer needed. */
  readonly gone: readonly ChangeDifference[];
  /** To be done now, but not approved. */
  readonly added: readonly ChangeDifference[];
  readonly different: readonly ChangeDifference[];
}

/**
 * The differences between the approved and the current plan. Values of the environment are hidden; if the values of the
 * approved plan are hidden already, they count as equal.
 */
export function comparePlans(approvedPlan: Plan, nowPlan: Plan): PlanDifference {
  const approved = digested(approvedPlan);
  const now = digested(nowPlan);
  const secrets = secretsOf(approvedPlan, nowPlan);
  const was = new Map(approved.changes.map((change) => [change.address, change]));
  const is = new Map(now.changes.map((change) => [change.address, change]));
  const alone = (change: DigestedChange, side: 'approved' | 'now'): ChangeDifference => ({
    address: change.address,
    actions: change.actions,
    differences: fieldsOf(change).flatMap(({ path, value }) =>
      sides(path, { [side]: value }, secrets(change.address)),
    ),
  });
  return {
    subject: SUBJECT.flatMap((path) => sides(path, { approved: approved[path], now: now[path] }, [])),
    gone: approved.changes
      .filter(({ address }) => !is.has(address))
      .map((change) => alone(change, 'approved')),
    added: now.changes.filter(({ address }) => !was.has(address)).map((change) => alone(change, 'now')),
    different: now.changes.flatMap((change) => {
      const former = was.get(change.address);
      if (former === undefined) return [];
      const differences = compareChanges(former, change, secrets(change.address));
      return differences.length === 0
        ? []
        : [{ address: change.address, actions: change.actions, differences }];
    }),
  };
}

/**
 * True if no difference can be shown: a hidden value differs, or the digests are from different versions of tradeform.
 */
export function isNothing({ subject, gone, added, different }: PlanDifference): boolean {
  return subject.length + gone.length + added.length + different.length === 0;
}

const SUBJECT = [
  'project',
  'previous_project',
  'environment',
  'base_url',
  'login_username',
  'order',
] as const;

type SecretPaths = readonly string[];

function secretsOf(...plans: readonly Plan[]): (address: string) => SecretPaths {
  const changes = plans.flatMap((plan) => plan.changes);
  const known = byKey(changes, ({ address }) => address);
  return (address) => (known.get(address) ?? []).flatMap(({ secrets = [] }) => secrets);
}

const PLAIN = [
  ...(['actions', 'previous_address', 'id', 'replaces_id'] as const),
  ...(['starts_trading', 'stops_trading', 'held'] as const),
];

function compareChanges(
  approved: DigestedChange,
  now: DigestedChange,
  secrets: SecretPaths,
): readonly ApprovedDifference[] {
  const plain = PLAIN.flatMap((path) => sides(path, { approved: approved[path], now: now[path] }, []));
  const fields = compareByPath(fieldsOf(approved), fieldsOf(now), secrets);
  const requests = sides('requests', { approved: requestsOf(approved), now: requestsOf(now) }, []);
  // Everything that is created, started and lost, except for what the fields already contain.
  const told = new Set(fields.map(({ path }) => path));
  const whole = compareByPath(wholesOf(approved), wholesOf(now), secrets).filter(
    ({ path }) => !told.has(path),
  );
  return [...plain, ...fields, ...whole, ...requests];
}

interface Value {
  readonly path: string;
  readonly value: Json;
}

function fieldsOf({ fields }: DigestedChange): readonly Value[] {
  // The plan's values are JSON by its schema. Generated types say `unknown` for any JSON value.
  return fields.map(({ path, ...value }) => ({ path, value: value as JsonObject }));
}

function requestsOf({ steps }: DigestedChange): Json {
  return steps.map(({ verb, subject, writes = [], marker, settle_ms, read_first }) =>
    [
      `${verb} ${subject}`,
      ...(writes.length === 0 ? [] : [`writes ${writes.join(' and ')}`]),
      ...['mark', 'rearm', 'replaces'].flatMap((key) => {
        const value = marker?.[key] ?? null;
        return value === null ? [] : [`${key} ${String(value)}`];
      }),
      ...(settle_ms === undefined ? [] : [`waits ${settle_ms} ms`]),
      ...(read_first === undefined ? [] : ['after a reading']),
    ].join(', '),
  );
}

function wholesOf({ steps }: DigestedChange): readonly Value[] {
  return steps.flatMap(({ body = {}, gone, started }: DigestedStep) => {
    // The change already says which task it is, and whether it runs.
    const { id, collection, is_active, ...found } = gone ?? started ?? {};
    return [...leaves(body, 'after'), ...leaves(found, 'before')];
  });
}

/** `config.relay_mode.tip_amount`. Lists are one value. The names are those of fields. */
function leaves(value: JsonObject, side: 'before' | 'after', parent = ''): readonly Value[] {
  return Object.entries(value).flatMap(([key, child]) => {
    const name = parent === '' ? (FIELD_NAMES[key] ?? key) : `${parent}.${key}`;
    return isObject(child) && !('ref' in child)
      ? leaves(child, side, name)
      : [{ path: name, value: { [side]: child } }];
  });
}

const FIELD_NAMES: Readonly<Record<string, string>> = { note: 'remark', risk_label_id: 'label' };

function compareByPath(
  approved: readonly Value[],
  now: readonly Value[],
  secrets: SecretPaths,
): readonly ApprovedDifference[] {
  const was = new Map(approved.map(({ path, value }) => [path, value]));
  const is = new Map(now.map(({ path, value }) => [path, value]));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((path) =>
    sides(path, { approved: was.get(path), now: is.get(path) }, secrets),
  );
}

/** The difference, if it can be shown. */
function sides(
  path: string,
  { approved, now }: { readonly approved?: Json | undefined; readonly now?: Json | undefined },
  secrets: SecretPaths,
): readonly ApprovedDifference[] {
  const secret = overlaps(secrets, path);
  const unknown = approved !== undefined && secret && jsonEqual(approved, hidden(approved));
  if (jsonEqual(approved, unknown && now !== undefined ? hidden(now) : now)) return [];
  const shown = (value: Json) => (secret ? hidden(value) : value);
  return [
    {
      path,
      ...(approved === undefined ? {} : { approved: shown(approved) }),
      ...(now === undefined ? {} : { now: shown(now) }),
    },
  ];
}

function hidden(value: Json): Json {
  if (!isObject(value)) return SECRET;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === 'before' || key === 'after' ? SECRET : item]),
  );
}
