import {
  type CountLimit,
  GUARDRAILS,
  type Guardrail,
  type GuardrailAction,
  type GuardrailName,
  type Limits,
  type Listed,
  type RiseLimit,
} from '../../desired/guardrails/settings.ts';
import type { DesiredState } from '../../desired/state.ts';
import { compareDecimals } from '../../model/decimal.ts';
import type { RuleChange } from '../../model/generated/plan.ts';
import { jsonEqual } from '../../model/json.ts';
import type { Policy } from '../guardrails/compiled.ts';
import { type Effect, joinEffects, type Rules } from './rules.ts';

type Change = Omit<RuleChange, 'location'>;

/**
 * The differences between the current rules and those of the base: first the base URL and the account, then loosened
 * rules, then the others in the order of the project file, then `ofTasks`. Pure.
 */
export function ruleChanges(base: Rules, here: Rules, ofTasks: readonly RuleChange[]): readonly RuleChange[] {
  const changes = [
    ...valueChange('base_url', base.baseUrl, here.baseUrl, moved),
    ...(['env', 'file'] as const).flatMap((field) =>
      valueChange(`token_${field}`, tokenIn(base, field), tokenIn(here, field), otherToken),
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
    ...(['update', 'replace'] as const).flatMap((wait) => settleChange(wait, base, here)),
    ...[...GUARDRAILS.flatMap((name) => limitChange(name, base, here)), ...policyChanges(base, here)],
  ].map((change): RuleChange => {
    const location = here.place(change.rule);
    return location === undefined ? change : { ...change, location };
  });
  return [...changes, ...ofTasks].sort((a, b) => weightOf(b) - weightOf(a));
}

const WEIGHTS: Readonly<Record<Effect, number>> = { loosened: 2, changed: 1, tightened: 0 };

function weightOf({ rule, effect }: Change): number {
  return (/^(?:base_url$|token_|account\.)/.test(rule) ? 3 : 0) + WEIGHTS[effect];
}

function valueChange<Value extends string>(
  rule: string,
  before: Value | undefined,
  after: Value | undefined,
  effectOf: (before: Value | undefined, after: Value | undefined) => Effect,
): readonly Change[] {
  if (before === after) return [];
  return [{ rule, effect: effectOf(before, after), before: before ?? null, after: after ?? null }];
}

/** A name decides which tasks are owned. `added`: the effect of a name that the base lacks. */
function nameChange(
  rule: string,
  before: string | undefined,
  after: string | undefined,
  added: Effect,
): readonly Change[] {
  const effect = after === undefined ? 'changed' : before === undefined ? added : 'loosened';
  return valueChange(rule, before, after, () => effect).map((change) =>
    effect === 'loosened'
      ? { ...change, after: `${after} (tasks of project ${after} become this one’s)` }
      : change,
  );
}

/** The token goes to another host. */
function moved(before: string | undefined, after: string | undefined): Effect {
  return before === undefined || after === undefined || originOf(before) === originOf(after)
    ? 'changed'
    : 'loosened';
}

function tokenIn({ token }: Rules, field: 'env' | 'file'): string | undefined {
  return token === undefined ? undefined : (token as Readonly<Record<string, string>>)[field];
}

/** Another token may belong to another account. */
function otherToken(before: string | undefined): Effect {
  return before === undefined ? 'changed' : 'loosened';
}

/** The origin of a base URL in its normal form. */
function originOf(url: string): string {
  return /^\w+:\/\/[^/]*/.exec(url)?.[0] ?? url;
}

/** Without a pin any account is accepted. */
function dropped(before: string | undefined, after: string | undefined): Effect {
  if (after === undefined) return 'loosened';
  return before === undefined ? 'tightened' : 'changed';
}

/** Values later in the list do more without asking. */
function rising<Value extends string>(order: readonly Value[]) {
  const rank = (value: Value | undefined) => (value === undefined ? -1 : order.indexOf(value));
  return (before: Value | undefined, after: Value | undefined): Effect =>
    rank(after) > rank(before) ? 'loosened' : 'tightened';
}

function settleChange(wait: 'update' | 'replace', base: Rules, here: Rules): readonly Change[] {
  const [before, after] = [base.settle[wait], here.settle[wait]];
  if (before === after) return [];
  const effect = after < before ? 'loosened' : 'tightened';
  return [{ rule: `settle.${wait}`, effect, before: duration(before), after: duration(after) }];
}

/** In the form of the project file. */
function duration(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}

/** The change of a list. The changes of the plan show what more or fewer entries mean. */
function listChange(rule: string, before: readonly string[], after: readonly string[]): readonly Change[] {
  const added = after.filter((item) => !before.includes(item));
  const removed = before.filter((item) => !after.includes(item));
  const effect = joinEffects([...added, ...removed].map(() => 'changed'));
  if (effect === undefined) return [];
  const text = (items: readonly string[]) => (items.length === 0 ? null : items.join(', '));
  const parts = {
    ...(added.length === 0 ? {} : { added }),
    ...(removed.length === 0 ? {} : { removed }),
  };
  return [{ rule, effect, before: text(before), after: text(after), ...parts }];
}

/** The change of one guardrail. `name` as `--override` calls it. */
type GuardrailChange = Omit<RuleChange, 'location'>;

type Wallets = DesiredState['wallets'];

function limitChange<Name extends GuardrailName>(
  name: Name,
  base: Rules,
  here: Rules,
): readonly GuardrailChange[] {
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
): readonly Effect[] {
  if (before.action === after.action) return [];
  return [after.action === 'warn' ? 'loosened' : 'tightened'];
}

/** The default of max_starts excludes new tasks. A written one includes them. */
function startsEffect(
  name: GuardrailName,
  before: { readonly standard: boolean },
  after: { readonly standard: boolean },
): readonly Effect[] {
  if (name !== 'max_starts' || before.standard === after.standard) return [];
  return [after.standard ? 'loosened' : 'tightened'];
}

/** A limit, and the wallets for the names in it at that revision. */
interface Side<Limit> {
  readonly limit: Limit;
  readonly wallets: Wallets;
}

interface Comparison {
  readonly effects: readonly Effect[];
  readonly added?: readonly string[];
  readonly removed?: readonly string[];
}

interface FormOf<Limit> {
  readonly text: (limit: Limit, wallets: Wallets) => string;
  readonly compare: (before: Side<Limit>, after: Side<Limit>) => Comparison;
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

function direction(difference: number): readonly Effect[] {
  return difference === 0 ? [] : [difference > 0 ? 'loosened' : 'tightened'];
}

/** A list compared by the meaning of its entries: a name of a wallet book that now means another wallet is another entry. */
function listForm(longer: Effect, shorter: Effect, names: 'wallets' | 'words'): FormOf<readonly Listed[]> {
  const addressOf = (text: string, wallets: Wallets) => (names === 'wallets' ? wallets.get(text) : undefined);
  const entry = ({ text }: Listed, wallets: Wallets) => {
    const address = addressOf(text, wallets);
    return address === undefined ? text : `${text} (${address})`;
  };
  const meaning = ({ text }: Listed, wallets: Wallets) => addressOf(text, wallets) ?? text;
  const lacking = (all: Side<readonly Listed[]>, of: Side<readonly Listed[]>) => {
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
function policyChanges({ guardrails: base }: Rules, { guardrails: here }: Rules): readonly GuardrailChange[] {
  const names = [...new Set([...base.policies, ...here.policies].map(({ name }) => name))];
  return names.flatMap((name): readonly GuardrailChange[] => {
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
