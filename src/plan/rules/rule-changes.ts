import type { RuleChange } from '../../model/generated/plan.ts';
import { guardrailChanges } from './guardrail-changes.ts';
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
    ...guardrailChanges(base, here),
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
