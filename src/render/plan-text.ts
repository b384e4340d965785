import type { Plan } from '../model/generated/plan.ts';
import { planView } from './plan-view.ts';
import { type TextOptions, viewText } from './text-layout.ts';

/** The plan for people (DESIGN 6): a pure function of the plan and the options. Ends with a newline. */
export function planText(plan: Plan, options: TextOptions): string {
  return viewText(planView(plan), options);
}
