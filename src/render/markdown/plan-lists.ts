import type { Change, Observation, Plan } from '../../model/generated/plan.ts';
import { count } from '../layout.ts';
import { overridesText } from '../overrides-text.ts';
import { CLASS_TITLES, heldReason, REASONS } from '../words.ts';
import { diagnosticSection, foldedSection, listSection, noteSections } from './blocks.ts';
import { markdownCode, markdownText } from './escape.ts';
import type { Section } from './fit.ts';

/** What nothing is done to, and what a reader has to know besides. */

export function refusalSections({ diagnostics }: Plan): readonly Section[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return diagnosticSection('Refused', errors, {
    weight: 90,
    name: (number) => count(number, 'reason for the refusal', 'reasons for the refusal'),
  });
}

export function heldAndBlocked({ changes }: Plan): readonly Section[] {
  const blocked = changes.filter((change) => change.blocked !== null);
  const held = changes.filter((change) => change.held);
  return [
    ...listSection('Blocked', blocked.map(blockedItem), {
      weight: 78,
      name: (number) => count(number, 'blocked address', 'blocked addresses'),
    }),
    ...listSection(
      'Held',
      held.map(
        (change) =>
          `${markdownCode(change.address)}: ${markdownText(heldReason({ ...change, blocked: null }))}${earlier(change)}`,
      ),
      { weight: 75, name: (number) => count(number, 'held task') },
    ),
  ];
}

function blockedItem(change: Change): string {
  const { address, blocked, reason } = change;
  const text = blocked?.text ?? REASONS[reason];
  const missing = (blocked?.ids ?? []).filter((id) => !text.includes(id));
  const ids = missing.length === 0 ? '' : ` (${missing.map(markdownCode).join(', ')})`;
  return `${markdownCode(address)}: ${markdownText(text)}${ids}${earlier(change)}`;
}

function earlier({ provenance }: Change): string {
  return provenance === 'before' ? ' _So before this change already._' : '';
}

/** What the project does not manage, by class; running tasks among them are in the headline as well. */
export function observed({ observations }: Plan): readonly Section[] {
  return (Object.keys(CLASS_TITLES) as Observation['class'][]).flatMap((wanted) => {
    const found = observations.filter((observation) => observation.class === wanted);
    const running = found.filter((observation) => observation.running);
    const items = [...running, ...found.filter((observation) => !observation.running)].map(observationItem);
    const title = CLASS_TITLES[wanted];
    const name = (number: number) => `${number} of “${title}”`;
    return wanted === 'conflict'
      ? listSection(title, items, { weight: 77, name })
      : foldedSection(title, items, { weight: 30, name });
  });
}

function observationItem({ kind, id, remark, running, text }: Observation): string {
  const note = remark === '' ? '(no remark)' : markdownCode(remark);
  return `${kind} ${markdownCode(id)} ${note}, ${running ? '**running**' : 'not running'}: ${markdownText(text)}`;
}

/** What refuses the plan stands first in it; here is the rest. */
export function notes({ diagnostics }: Plan): readonly Section[] {
  return noteSections(diagnostics.filter(({ severity }) => severity !== 'error'));
}

export function letThrough({ overrides }: Plan): readonly Section[] {
  const text = overridesText(overrides);
  if (text === undefined) return [];
  return [
    {
      name: 'what `--override` let through',
      forms: [
        { weight: 88, head: `**Let through by \`--override\`, for this plan alone:** ${markdownText(text)}` },
      ],
    },
  ];
}
