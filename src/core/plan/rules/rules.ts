import {
  type CountLimit,
  GUARDRAILS,
  type Guardrail,
  type GuardrailAction,
  type GuardrailLimits,
  type GuardrailName,
  type Limits,
  type Listed,
  type RiseLimit,
  STANDARD,
} from '../../desired/guardrails/settings.ts';
import { DEFAULT_PATTERN } from '../../desired/project.ts';
import type { ProjectRules } from '../../desired/project-rules.ts';
import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { type Diagnostic, type Location, note, warning } from '../../diagnostics/diagnostic.ts';
import { compareDecimals } from '../../model/decimal.ts';
import type { RuleChange } from '../../model/generated/plan.ts';
import { given } from '../../model/given.ts';
import { jsonEqual } from '../../model/json.ts';
import type { Guardrails, Policy } from '../guardrails/compiled.ts';

/** The rules of a project at one revision, with compiled guardrails. */
export interface Rules extends Omit<ProjectRules, 'guardrails'> {
  readonly guardrails: Guardrails;
  /** The wallets for the names in the guardrails' lists at that revision. */
  readonly wallets: DesiredState['wallets'];
}

/** The rules of a base without a project file. */
export const DEFAULT_RULES: Rules = {
  environment: null,
  environments: [],
  manifests: [DEFAULT_PATTERN],
  pruneTasks: 'delete',
  stoppedTasks: 'hold',
  settle: { update: 0, replace: 60_000 },
  guardrails: { limits: STANDARD, policies: [] },
  wallets: new Map(),
  place: () => undefined,
};

/** The weightiest last. */
const EFFECTS = ['tightened', 'changed', 'loosened'] as const;
type RuleEffect = (typeof EFFECTS)[number];

/**
 * The combined effect of several changes: a rule that is looser in one respect is loosened, even if another part became
 * tighter.
 */
function joinEffects(effects: readonly RuleEffect[]): RuleEffect | undefined {
  return EFFECTS.findLast((effect) => effects.includes(effect));
}

/** Guardrails of the base that judge a plan besides its own. */
export interface BaseGuardrails extends Guardrails {
  /** The name of the base: `main (1a2b3c4)`. */
  readonly name: string;
  readonly wallets: Rules['wallets'];
  /** Set if the rules of the base are unknown: this refuses the plan. */
  readonly unknown?: UnknownRules;
}

/** The reason, in the form of a guardrail's finding. */
export interface UnknownRules {
  readonly message: string;
  readonly hint: string;
  readonly location: Location | undefined;
}

/** The name in `--override` for a base with unknown rules. */
export const BASE_RULES = 'base_rules';

/**
 * The guardrails of the base that may refuse what the current ones allow: a change that loosens a guardrail must not
 * use it at once. Findings point to the guardrail in the current file.
 */
export function baseGuardrails(
  { guardrails, wallets }: Rules,
  changes: readonly RuleChange[],
  name: string,
  unknown: UnknownRules | undefined,
): BaseGuardrails {
  const looser = new Map(
    changes.filter(({ effect }) => effect !== 'tightened').map(({ rule, location }) => [rule, location]),
  );
  const limits = Object.fromEntries(
    GUARDRAILS.flatMap((guardrail) => {
      const rule = `guardrails.${guardrail}`;
      const limit = guardrails.limits[guardrail];
      if (limit === undefined || !looser.has(rule)) return [];
      return [[guardrail, placed(limit, looser.get(rule))]];
    }),
  ) as GuardrailLimits;
  const policies = guardrails.policies.filter((policy) => looser.has(`guardrails.policies.${policy.name}`));
  return { limits, policies, name, wallets, ...given({ unknown }) };
}

function placed(guardrail: Guardrail<unknown>, location: Location | undefined): Guardrail<unknown> {
  const { location: _, limit, ...rest } = guardrail;
  if (location === undefined) return { ...rest, limit };
  const entries = Array.isArray(limit) ? limit.map((entry: Listed) => ({ ...entry, location })) : limit;
  return { ...rest, limit: entries, location };
}

/**
 * Diagnostics for changed rules, for output without a plan: a warning for each loosened rule, a note for the others.
 */
export function ruleDiagnostics(changes: readonly RuleChange[], base: string): readonly Diagnostic[] {
  return changes.map(({ rule, effect, location, ...sides }): Diagnostic => {
    const message = `${rule} is ${effect}: ${sideText(sides.before)} at ${base}, ${sideText(sides.after)} here`;
    return effect === 'loosened'
      ? warning('rule-loosened', message, undefined, { location })
      : note('rule-changed', message, undefined, { location });
  });
}

const MOST_SHOWN = 200;

/** One side of a rule as a line of text shows it. */
export function sideText(text: string | null, most = MOST_SHOWN): string {
  if (text === null) return '(none)';
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}

type BareChange = Omit<RuleChange, 'location'>;

/**
 * The differences between the current rules and those of the base: first the base URL and the account, then loosened
 * rules, then the others in the order of the project file, then `ofTasks`. Pure.
 */
export function ruleChanges(base: Rules, here: Rules, ofTasks: readonly RuleChange[]): readonly RuleChange[] {
  const changes = [
    ...valueChange('base_url', base.baseUrl, here.baseUrl, moved),
    // Another token may belong to another account.
    ...(['env', 'file'] as const).flatMap((field) =>
      valueChange(`token_${field}`, tokenIn(base, field), tokenIn(here, field), (before) =>
        before === undefined ? 'changed' : 'loosened',
      ),
    ),
    ...(['login_username', 'token_prefix'] as const).flatMap((field) =>
      valueChange(`account.${field}`, base.account?.[field], here.account?.[field], dropped),
    ),
    ...nameChange('metadata.name', base.project, here.project, 'changed'),
    ...nameChange('metadata.previous_name', base.previousProject, here.previousProject, 'loosened'),
    ...listChange('environments', base.environments, here.environments),
    ...listChange('manifests', base.manifests, here.manifests),
    ...valueChange('prune.tasks', base.pruneTasks, here.pruneTasks, rising(['never', 'pause', 'delete'])),
    ...valueChange('stopped_tasks', base.stoppedTasks, here.stoppedTasks, rising(['hold', 'resume'])),
    ...(['update', 'replace'] as const).flatMap((wait) =>
      valueChange(`settle.${wait}`, duration(base.settle[wait]), duration(here.settle[wait]), () =>
        here.settle[wait] < base.settle[wait] ? 'loosened' : 'tightened',
      ),
    ),
    ...[...GUARDRAILS.flatMap((name) => limitChange(name, base, here)), ...policyChanges(base, here)],
  ].map((change): RuleChange => ({ ...change, ...given({ location: here.place(change.rule) }) }));
  return [...changes, ...ofTasks].sort((a, b) => weightOf(b) - weightOf(a));
}

function weightOf({ rule, effect }: BareChange): number {
  return (/^(?:base_url$|token_|account\.)/.test(rule) ? 3 : 0) + EFFECTS.indexOf(effect);
}

function valueChange<Value extends string>(
  rule: string,
  before: Value | undefined,
  after: Value | undefined,
  effectOf: (before: Value | undefined, after: Value | undefined) => RuleEffect,
): readonly BareChange[] {
  if (before === after) return [];
  return [{ rule, effect: effectOf(before, after), before: before ?? null, after: after ?? null }];
}

/** A name decides which tasks are owned. `added`: the effect of a name that the base lacks. */
function nameChange(
  rule: string,
  before: string | undefined,
  after: string | undefined,
  added: RuleEffect,
): readonly BareChange[] {
  const effect = after === undefined ? 'changed' : before === undefined ? added : 'loosened';
  return valueChange(rule, before, after, () => effect).map((change) =>
    effect === 'loosened'
      ? { ...change, after: `${after} (tasks of project ${after} become this one’s)` }
      : change,
  );
}

/** The token goes to another host. */
function moved(before: string | undefined, after: string | undefined): RuleEffect {
  return before === undefined || after === undefined || originOf(before) === originOf(after)
    ? 'changed'
    : 'loosened';
}

function tokenIn({ token }: Rules, field: 'env' | 'file'): string | undefined {
  return token === undefined ? undefined : (token as Readonly<Record<string, string>>)[field];
}

/** The origin of a base URL in its normal form. */
function originOf(url: string): string {
  return /^\w+:\/\/[^/]*/.exec(url)?.[0] ?? url;
}

/** Without a pin any account is accepted. */
function dropped(before: string | undefined, after: string | undefined): RuleEffect {
  if (after === undefined) return 'loosened';
  return before === undefined ? 'tightened' : 'changed';
}

/** Values later in the list do more without asking. */
function rising<Value extends string>(order: readonly Value[]) {
  const rank = (value: Value | undefined) => (value === undefined ? -1 : order.indexOf(value));
  return (before: Value | undefined, after: Value | undefined): RuleEffect =>
    rank(after) > rank(before) ? 'loosened' : 'tightened';
}

/** In the form of the project file. */
function duration(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

/** The change of a list. The changes of the plan show what more or fewer entries mean. */
function listChange(
  rule: string,
  before: readonly string[],
  after: readonly string[],
  [longer, shorter]: readonly [RuleEffect, RuleEffect] = ['changed', 'changed'],
): readonly BareChange[] {
  const added = after.filter((item) => !before.includes(item));
  const removed = before.filter((item) => !after.includes(item));
  const effect = joinEffects([...added.map(() => longer), ...removed.map(() => shorter)]);
  if (effect === undefined) return [];
  const text = (items: readonly string[]) => (items.length === 0 ? null : items.join(', '));
  return [{ rule, effect, before: text(before), after: text(after), ...lists(added, removed) }];
}

/**
 * Tasks whose `lifecycle.ignore_changes` differs from the base, by their current address. An ignored field can have any
 * value, and no change of the plan shows that. Pure.
 */
export function ignoredFieldChanges(
  base: Pick<DesiredState, 'tasks'>,
  here: Pick<DesiredState, 'tasks'>,
): readonly RuleChange[] {
  const former = new Map<string, DesiredTask>(base.tasks.map((task) => [task.address, task]));
  return here.tasks.flatMap(({ address, collection, previousName, ignoreChanges, origin }) => {
    const before =
      former.get(address) ??
      (previousName === undefined ? undefined : former.get(`${collection}/${previousName}`));
    if (before === undefined) return [];
    const rule = `${address} lifecycle.ignore_changes`;
    const location = origin('lifecycle.ignore_changes');
    return listChange(rule, before.ignoreChanges, ignoreChanges, ['loosened', 'tightened']).map((change) => ({
      ...change,
      ...given({ location }),
    }));
  });
}

type Wallets = DesiredState['wallets'];

function limitChange<Name extends GuardrailName>(
  name: Name,
  base: Rules,
  here: Rules,
): readonly BareChange[] {
  const before: Guardrail<Limits[Name]> | undefined = base.guardrails.limits[name];
  const after: Guardrail<Limits[Name]> | undefined = here.guardrails.limits[name];
  const { compare, text } = FORMS[name];
  const says = (guardrail: Guardrail<Limits[Name]> | undefined, wallets: Wallets) =>
    guardrail === undefined ? null : `${text(guardrail.limit, wallets)}${manner(guardrail)}`;
  const rule = `guardrails.${name}`;
  const texts = { before: says(before, base.wallets), after: says(after, here.wallets) };
  if (before === undefined || after === undefined) {
    if (before === after) return [];
    return [{ rule, effect: after === undefined ? 'loosened' : 'tightened', ...texts }];
  }
  const { effects, added, removed } = compare(
    { limit: before.limit, wallets: base.wallets },
    { limit: after.limit, wallets: here.wallets },
  );
  const effect = joinEffects([
    ...effects,
    ...actionEffect(before, after),
    ...startsEffect(name, before, after),
  ]);
  if (effect === undefined) return [];
  return [{ rule, effect, ...texts, ...lists(added, removed) }];
}

function lists(added: readonly string[] = [], removed: readonly string[] = []) {
  return {
    ...(added.length === 0 ? {} : { added: [...added] }),
    ...(removed.length === 0 ? {} : { removed: [...removed] }),
  };
}

function manner({ action, standard }: Pick<Guardrail<unknown>, 'action' | 'standard'>): string {
  return `${standard ? ' (default)' : ''}${action === 'warn' ? ' (only warns)' : ''}`;
}

function actionEffect(
  before: { readonly action: GuardrailAction },
  after: { readonly action: GuardrailAction },
): readonly RuleEffect[] {
  if (before.action === after.action) return [];
  return [after.action === 'warn' ? 'loosened' : 'tightened'];
}

/** The default of max_starts excludes new tasks. A written one includes them. */
function startsEffect(
  name: GuardrailName,
  before: { readonly standard: boolean },
  after: { readonly standard: boolean },
): readonly RuleEffect[] {
  if (name !== 'max_starts' || before.standard === after.standard) return [];
  return [after.standard ? 'loosened' : 'tightened'];
}

/** A limit, and the wallets for the names in it at that revision. */
interface LimitAt<Limit> {
  readonly limit: Limit;
  readonly wallets: Wallets;
}

interface LimitComparison {
  readonly effects: readonly RuleEffect[];
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

interface FormOf<Limit> {
  readonly text: (limit: Limit, wallets: Wallets) => string;
  readonly compare: (before: LimitAt<Limit>, after: LimitAt<Limit>) => LimitComparison;
}

const COUNT: FormOf<CountLimit> = {
  text: ({ count, percent }) =>
    percent === 0 ? `${count}` : count === 0 ? `${percent}%` : `${count} or ${percent}%`,
  compare: ({ limit: before }, { limit: after }) => ({
    effects: [direction(after.count - before.count), direction(after.percent - before.percent)].flat(),
  }),
};

const AMOUNT: FormOf<string> = {
  text: (limit) => limit,
  compare: ({ limit: before }, { limit: after }) => ({ effects: direction(compareDecimals(after, before)) }),
};

const RISE: FormOf<RiseLimit> = {
  text: (limit) => ('sol' in limit ? limit.sol : `${limit.percent}%`),
  compare: ({ limit: before }, { limit: after }) => {
    if ('sol' in before && 'sol' in after)
      return { effects: direction(compareDecimals(after.sol, before.sol)) };
    if ('percent' in before && 'percent' in after)
      return { effects: direction(after.percent - before.percent) };
    // Which of them is stricter depends on what is at stake.
    return { effects: ['changed'] };
  },
};

function direction(difference: number): readonly RuleEffect[] {
  return difference === 0 ? [] : [difference > 0 ? 'loosened' : 'tightened'];
}

/** A list compared by the meaning of its entries: a name of a wallet book that now means another wallet is another entry. */
function listForm(
  longer: RuleEffect,
  shorter: RuleEffect,
  names: 'wallets' | 'words',
): FormOf<readonly Listed[]> {
  const addressOf = (text: string, wallets: Wallets) => (names === 'wallets' ? wallets.get(text) : undefined);
  const entry = ({ text }: Listed, wallets: Wallets) => {
    const address = addressOf(text, wallets);
    return address === undefined ? text : `${text} (${address})`;
  };
  const meaning = ({ text }: Listed, wallets: Wallets) => addressOf(text, wallets) ?? text;
  const lacking = (all: LimitAt<readonly Listed[]>, of: LimitAt<readonly Listed[]>) => {
    const known = new Set(of.limit.map((item) => meaning(item, of.wallets)));
    return all.limit
      .filter((item) => !known.has(meaning(item, all.wallets)))
      .map((item) => entry(item, all.wallets));
  };
  return {
    text: (limit, wallets) => limit.map((item) => entry(item, wallets)).join(', ') || '(nothing)',
    compare: (before, after) => {
      const added = lacking(after, before);
      const removed = lacking(before, after);
      const effects = [...(added.length === 0 ? [] : [longer]), ...(removed.length === 0 ? [] : [shorter])];
      return { effects, added, removed };
    },
  };
}

/** Lists that allow, and lists that protect. */
const ALLOWED = listForm('loosened', 'tightened', 'words');
const ALLOWED_WALLETS = listForm('loosened', 'tightened', 'wallets');
const GUARDED = listForm('tightened', 'loosened', 'words');
const GUARDED_WALLETS = listForm('tightened', 'loosened', 'wallets');

const LABEL: FormOf<Limits['require_label']> = {
  text: (limit, wallets) => (limit === true ? 'any label' : ALLOWED.text(limit, wallets)),
  compare: (before, after) => {
    if (before.limit === true) return { effects: after.limit === true ? [] : ['tightened'] };
    if (after.limit === true) return { effects: ['loosened'] };
    return ALLOWED.compare({ ...before, limit: before.limit }, { ...after, limit: after.limit });
  },
};

const FORMS: { readonly [Name in GuardrailName]: FormOf<Limits[Name]> } = {
  protect: GUARDED,
  max_deletes: COUNT,
  max_changes: COUNT,
  max_starts: COUNT,
  max_exposure: AMOUNT,
  max_exposure_rise: RISE,
  max_task_exposure: AMOUNT,
  max_buy_amount: AMOUNT,
  max_tip: AMOUNT,
  max_priority_fee: AMOUNT,
  max_slippage: AMOUNT,
  max_factor: AMOUNT,
  allowed_dexes: ALLOWED,
  allowed_wallets: ALLOWED_WALLETS,
  forbidden_wallets: GUARDED_WALLETS,
  require_label: LABEL,
};

/** Nobody can tell whether another schema is looser. It counts as changed, and the base's schema judges the plan as well. */
function policyChanges({ guardrails: base }: Rules, { guardrails: here }: Rules): readonly BareChange[] {
  const names = [...new Set([...base.policies, ...here.policies].map(({ name }) => name))];
  return names.flatMap((name): readonly BareChange[] => {
    const before = base.policies.find((policy) => policy.name === name);
    const after = here.policies.find((policy) => policy.name === name);
    const rule = `guardrails.policies.${name}`;
    if (before === undefined)
      return after === undefined
        ? []
        : [{ rule, effect: 'tightened', before: null, after: policyText(after) }];
    if (after === undefined) return [{ rule, effect: 'loosened', before: policyText(before), after: null }];
    const sameSchema = jsonEqual(before.document, after.document);
    const effect = joinEffects([
      ...actionEffect(before, after),
      ...(before.target === after.target && sameSchema ? [] : (['changed'] as const)),
    ]);
    if (effect === undefined) return [];
    const schema = sameSchema ? '' : ', another schema';
    return [{ rule, effect, before: policyText(before), after: `${policyText(after)}${schema}` }];
  });
}

function policyText({ action, target }: Policy): string {
  return `${action === 'refuse' ? 'refuses' : 'only warns'}, for ${target === '*' ? 'everything' : target}`;
}
