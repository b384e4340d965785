import type { Plan } from '../../model/generated/plan.ts';
import type { ApplyReport, ChangeResult } from '../../model/generated/report.ts';
import { planView } from '../plan-view.ts';
import { reportView } from '../report-view.ts';
import { REASONS } from '../words.ts';
import type { Page, TimelineStep } from './model.ts';
import { aboutChanges, exposureBars } from './plan-page.ts';

/**
 * What an apply did as a page, with the times of its requests. With its plan, also what was planned and how much money it
 * concerned.
 */
export function reportPage(report: ApplyReport, plan?: Plan, view = reportView(report, new Set())): Page {
  const planned = plan === undefined ? undefined : planView(plan);
  const money = planned?.money;
  const labels = plan === undefined ? new Map() : aboutChanges(plan);
  const changes = new Map(plan?.changes.map((change) => [change.address, change]));
  return {
    view: {
      ...view,
      ...(report.outcome === 'done' ? { money } : {}),
      facts: [
        ...(view.facts ?? []).map((fact) => `Done: ${fact}`),
        ...(planned === undefined ? [] : [`Planned: ${planned.verdict}`]),
        ...(money === undefined || report.outcome === 'done' ? [] : [`Planned sum: ${money}`]),
      ],
    },
    at: report.finished_at,
    bars:
      plan === undefined
        ? []
        : exposureBars(plan, report.outcome === 'done' ? 'SOL at stake' : 'SOL at stake as planned'),
    about: new Map(
      report.changes.map((result) => {
        const change = changes.get(result.address);
        const more = change === undefined ? {} : { why: [REASONS[change.reason]], fields: change.fields };
        const action = result.actions.filter((word) => word !== 'none').join(', ');
        return [
          result.address,
          { ...labels.get(result.address), ...more, action, steps: result.operations.map(stepOf) },
        ];
      }),
    ),
    span: Math.max(0, Date.parse(report.finished_at) - Date.parse(report.started_at)),
  };
}

function stepOf({
  verb,
  status,
  at_ms: at,
  took_ms: took,
}: ChangeResult['operations'][number]): TimelineStep {
  return {
    words: verb,
    result: status,
    bad: status === 'failed' || status === 'unknown',
    failed: status === 'failed',
    pauses: verb === 'pause',
    resumes: verb === 'resume',
    at,
    took,
  };
}
