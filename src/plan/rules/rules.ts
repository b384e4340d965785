import { STANDARD } from '../../desired/guardrails/settings.ts';
import { DEFAULT_PATTERN } from '../../desired/project.ts';
import type { ProjectRules } from '../../desired/project-rules.ts';
import type { DesiredState } from '../../desired/state.ts';
import type { Guardrails } from '../guardrails/compiled.ts';

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

export type Effect = 'loosened' | 'tightened' | 'changed';

/**
 * The combined effect of several changes: a rule that is looser in one respect is loosened, even if another part became
 * tighter.
 */
export function joinEffects(effects: readonly Effect[]): Effect | undefined {
  return (['loosened', 'changed', 'tightened'] as const).find((effect) => effects.includes(effect));
}
