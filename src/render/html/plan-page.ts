import type { Change, Plan } from '../../model/generated/plan.ts';
import { SECRET } from '../../model/secret.ts';
import { count } from '../layout.ts';
import { planView } from '../plan-view.ts';
import { WARNINGS_TITLE } from '../sections.ts';
import type { Section, View } from '../view.ts';
import type { About, BarGroup, Page } from './model.ts';

/** More warnings are folded, so that the changes can be seen. */
const MOST_WARNINGS = 5;

/** A plan as a page: its view, with the exposure as bars instead of a list, and warnings before the changes. */
export function planPage(plan: Plan): Page {
  const view = planView(plan);
  const { left_out: leftOut } = plan.exposure;
  const warnings = view.parts.filter(isWarnings);
  const others = view.parts.filter((part) => !isWarnings(part) && !part.title.startsWith('At stake by'));
  const changes = others.findIndex((part) => 'changes' in part);
  // Without changes, they stay where they are.
  const at = changes < 0 ? Math.max(0, view.parts.findIndex(isWarnings)) : changes;
  // Some of them stand beside their changes. Running tasks without git are counted by the view.
  const number = plan.diagnostics.filter(
    ({ severity, code }) => severity === 'warning' && code !== 'unmanaged-running',
  ).length;
  const rest: Section = {
    title: 'What the sum at stake leaves out',
    tone: 'dim',
    rows: leftOut.map(({ text }) => ({ names: [], text })),
    shown: 'collapsed',
  };
  return {
    view: {
      ...view,
      tone: view.tone === 'title' && number > 0 ? 'warn' : view.tone,
      facts: [...(view.facts ?? []), ...(number === 0 ? [] : [count(number, 'warning')])],
      parts: [
        ...others.slice(0, at),
        ...warnings.map((part) => ({ ...part, ...(isLong(part) ? { shown: 'collapsed' as const } : {}) })),
        ...others.slice(at),
        ...(leftOut.length === 0 ? [] : [rest]),
      ],
    },
    at: plan.created_at,
    bars: exposureBars(plan),
    about: aboutChanges(plan),
  };
}

function isWarnings(part: View['parts'][number]): part is Section {
  return 'rows' in part && part.title === WARNINGS_TITLE;
}

function isLong({ rows }: Section): boolean {
  return rows.reduce((sum, { size = 1 }) => sum + size, 0) > MOST_WARNINGS;
}

/** `what`: the exposure of the plan, or the planned exposure if not everything was done. */
export function exposureBars({ exposure }: Plan, what = 'SOL at stake'): readonly BarGroup[] {
  return [
    {
      title: `${what} by label`,
      bars: exposure.labels.map(({ label, ...sums }) => ({ ...sums, name: label ?? 'without a label' })),
    },
    {
      title: `${what} by kind`,
      bars: exposure.kinds.map(({ kind, ...sums }) => ({ ...sums, name: kind })),
    },
  ];
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
