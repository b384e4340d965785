import type { Plan } from '../model/generated/plan.ts';
import type { Fitted } from './markdown/fit.ts';
import { viewMarkdown, viewMarkdownWithin } from './markdown/layout.ts';
import { planView } from './plan-view.ts';

/** The plan for reviewers, as Markdown that GitHub and GitLab show alike. A pure function of the plan. */
export function planMarkdown(plan: Plan): string {
  return viewMarkdown(planView(plan));
}

/** The same in at most `maxBytes`: deletions, replacements, starts, stops and the counts are in it, or it does not fit. */
export function planMarkdownWithin(plan: Plan, maxBytes: number): Fitted {
  return viewMarkdownWithin(planView(plan), maxBytes);
}
