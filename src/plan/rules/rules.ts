import { STANDARD } from '../../desired/guardrails/settings.ts';
import { DEFAULT_PATTERN } from '../../desired/project.ts';
import type { ProjectRules } from '../../desired/project-rules.ts';
import type { DesiredState } from '../../desired/state.ts';
import type { Guardrails } from '../guardrails/compiled.ts';

/** The rules of a project at one revision, with guardrails that are ready to be asked. */
export interface Rules extends Omit<ProjectRules, 'guardrails'> {
  readonly guardrails: Guardrails;
  /** The wallets that names in the guardrails' lists stand for there. */
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

/** The joint effect of several: a rule that is looser in one respect is loosened, whatever else became tighter. */
export function joinEffects(effects: readonly Effect[]): Effect | undefined {
  return (['loosened', 'changed', 'tightened'] as const).find((effect) => effects.includes(effect));
}
