import type { DesiredLabel, DesiredState, DesiredTemplate } from '../../../src/core/desired/state.ts';
import type { Plan } from '../../../src/core/model/generated/plan.ts';
import type { LiveLabel, LiveTemplate } from '../../../src/core/model/resource.ts';
import { makePlan } from '../../../src/core/plan/plan.ts';
import { desiredState, liveState, planInput, sniperConfig, uuid } from '../../support/builders.ts';

const AT = '2026-01-01T00:00:00Z';

export function liveLabel(index: number, name: string, sort_order: number | null = 0): LiveLabel {
  return { collection: 'label', id: uuid(index), name, sort_order };
}

export function liveTemplate(index: number, name: string, over: Partial<LiveTemplate> = {}): LiveTemplate {
  const dates = { created_at: AT, updated_at: AT };
  return {
    collection: 'sniper-template',
    id: uuid(index),
    name,
    version: 3,
    ...dates,
    config: sniperConfig(),
    ...over,
  };
}

export function template(name: string, over: Partial<DesiredTemplate> = {}): DesiredTemplate {
  return {
    address: `sniper-template/${name}`,
    collection: 'sniper-template',
    name,
    shownName: name,
    config: sniperConfig(),
    origin: () => undefined,
    ...over,
  };
}

export interface Named {
  readonly labels?: readonly DesiredLabel[];
  readonly templates?: readonly DesiredTemplate[];
  readonly liveLabels?: readonly LiveLabel[];
  readonly liveTemplates?: readonly LiveTemplate[];
  readonly over?: Partial<DesiredState>;
}

export function planOf({
  labels = [],
  templates = [],
  liveLabels = [],
  liveTemplates = [],
  over = {},
}: Named): Plan {
  const desired = desiredState([], labels, { templates, ...over });
  return makePlan(planInput(desired, liveState([], liveLabels, { templates: liveTemplates })));
}
