import type { Stakes } from '../model/generated/fleet-report.ts';
import type { Change, Location, Plan, PlanDiagnostic } from '../model/generated/plan.ts';
import type { ApplyReport } from '../model/generated/report.ts';
import { given } from '../model/given.ts';
import { SECRET } from '../model/secret.ts';
import { ruleDiagnostics } from '../plan/rules/rules.ts';
import { addressRank, dearestFirst } from '../plan/stakes/cost.ts';
import { type FormatFinding, findingsOf } from '../render/finding.ts';
import { maskPlan } from '../render/masking/by-path.ts';
import { exposureSamples, type Sample } from '../render/metrics.ts';
import { type About, type View, WARNINGS_TITLE } from '../render/view.ts';
import { ACTIONS } from '../render/words.ts';
import { type DocumentFindings, type DocumentKind, isStray, problemsIn } from './document.ts';
import { baseName, hasWork } from './plan-summary.ts';
import { leavesOutTasks, lintsAside, planView } from './plan-view.ts';
import { outsideTasks } from './stake-text.ts';

/** A plan as a page. */
export function planPage(plan: Plan): View {
  const view = planView(plan);
  return {
    ...view,
    tone: view.tone === 'title' && view.parts.some(isWarnings) ? 'warn' : view.tone,
    at: plan.created_at,
    about: aboutChanges(plan),
  };
}

function isWarnings(part: View['parts'][number]): boolean {
  return 'rows' in part && part.title === WARNINGS_TITLE;
}

/** Labels by address. A plan names the labels that it changes and those of new tasks. Of other labels it has only the id. */
export function aboutChanges({ changes }: Plan): ReadonlyMap<string, About> {
  const names = new Map(
    changes.flatMap((change) =>
      change.kind === 'label' && change.id !== null ? [[change.id, nameOf(change)]] : [],
    ),
  );
  return new Map(
    changes.flatMap(({ address, fields, former }) => {
      const field = fields.find(({ path }) => path === 'label');
      const id = former?.risk_label_id;
      const label =
        field?.sensitive === true
          ? SECRET
          : (field?.after ?? (typeof id === 'string' ? (names.get(id) ?? id) : undefined));
      return typeof label === 'string' ? [[address, { label }]] : [];
    }),
  );
}

function nameOf({ name, fields, former }: Change): string {
  const shown = fields.find(({ path }) => path === 'name')?.after ?? former?.name;
  return typeof shown === 'string' ? shown : name;
}

const RULES = new Map([['plan/blocked', 'Nothing is done to an address, because something blocks it.']]);

/**
 * A plan in the formats for machines, the most expensive findings first: its diagnostics, and what is blocked. A refusal that also applies to the base of `--base` is a warning and fails no check.
 */
export function planFindings(document: Plan): DocumentFindings {
  const plan = dearestFirst(document);
  const rank = addressRank(plan);
  const rules = findingsOf(
    ruleDiagnostics(plan.rules_changed ?? [], plan.base === undefined ? 'the base' : baseName(plan.base)),
  );
  const aside = lintsAside(plan);
  const said = findingsOf(
    plan.diagnostics.flatMap((item): readonly PlanDiagnostic[] =>
      aside.has(item)
        ? []
        : [
            item.provenance === 'before' && item.severity === 'error'
              ? { ...item, severity: 'warning' }
              : item,
          ],
    ),
  );
  const blocked = plan.changes.filter((change) => change.blocked !== null).map(blockedFinding);
  return {
    findings: [...rules, ...[...blocked, ...said].sort((a, b) => rank(a.address) - rank(b.address))],
    rules: RULES,
    completed: true,
  };
}

/** The manifest place of a change: that of its first field with a place. */
export function originOf({ fields }: Change): Location | undefined {
  return fields.find(({ origin }) => origin !== undefined)?.origin;
}

function blockedFinding(change: Change): FormatFinding {
  const { address, blocked } = change;
  const message = `${address} is blocked: ${blocked?.text ?? ''}`;
  return {
    rule: 'plan/blocked',
    level: 'warning',
    message,
    address,
    ...given({ location: originOf(change) }),
  };
}

function changeCounts(changes: readonly Change[]) {
  return {
    starts: changes.filter((change) => change.starts_trading).length,
    stops: changes.filter((change) => change.stops_trading).length,
    changes: changes.filter(hasWork).length,
  };
}

/** What an apply came to. Without a report, nothing was sent. Undefined if nobody read what trades afterwards. */
export function doneStakes({ exposure, changes }: Plan, report: ApplyReport | undefined): Stakes | undefined {
  const { before } = exposure;
  const { held, blocked } = report?.summary ?? {};
  const done = new Set(
    report?.changes.flatMap(({ address, status }) => (status === 'done' ? [address] : [])),
  );
  const counts = changeCounts(changes.filter(({ address }) => done.has(address)));
  const ended = report?.outcome === 'done' ? exposure.after : report?.trading?.sol;
  const after = report === undefined ? before : ended;
  if (after === undefined || after === null) return undefined;
  return {
    ...{ before, after, ...counts, stops: counts.stops + (report?.left_paused.length ?? 0) },
    outside: report?.trading?.outside ?? exposure.outside,
    ...given({ held: held || undefined, blocked: blocked || undefined }),
  };
}

export const planKind: DocumentKind<Plan> = {
  view: planView,
  page: planPage,
  findings: planFindings,
  masked: (plan) => maskPlan(plan),
  stakes: (plan) => {
    const { before, after, outside } = plan.exposure;
    const { held, blocked } = plan.summary;
    return {
      ...{ before, after, ...changeCounts(plan.changes), outside },
      ...given({ held: held || undefined, blocked: blocked || undefined }),
    };
  },
  metrics: ({ summary, exposure, observations }) => [
    ...Object.entries(summary).flatMap(([action, count]): readonly Sample[] =>
      Object.hasOwn(ACTIONS, action.replace('_', '-')) ? [['tradeform_planned', count, { action }]] : [],
    ),
    ['tradeform_held_tasks', summary.held],
    ['tradeform_unmanaged_running_tasks', observations.filter(isStray).length],
    ...exposureSamples(exposure.before, exposure.after),
    ...exposure.left_out.flatMap(({ reason, count }): readonly Sample[] =>
      leavesOutTasks(reason) ? [['tradeform_exposure_left_out_tasks', count, { reason }]] : [],
    ),
    ['tradeform_exposure_left_out_tasks', outsideTasks(exposure.outside), { reason: 'outside' }],
  ],
  notice: ({ diagnostics, exposure }) => ({
    problems: problemsIn(diagnostics),
    exposure: {
      sol: [exposure.before],
      outside: exposure.outside,
      uncounted: exposure.left_out.filter(({ reason }) => reason === 'secret').map(({ text }) => text),
    },
  }),
  essence: {
    essence:
      'the essential parts of the plan do not fit BYTES bytes: summary, deletions, replacements, starts and stops',
    less: 'plan',
  },
};
