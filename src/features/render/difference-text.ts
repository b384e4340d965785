import type { ResourceDifference, StateDifference } from '../../desired/difference.ts';
import { originText } from '../../render/differences.ts';
import { fieldLines, withPlace } from '../../render/field-lines.ts';
import { cells } from '../../render/layout.ts';
import type { Paint, Tone } from '../../render/style.ts';
import { visible } from '../../render/untrusted.ts';

const SIGNS: Readonly<Record<ResourceDifference['action'], { readonly sign: string; readonly tone: Tone }>> =
  {
    created: { sign: '+', tone: 'add' },
    changed: { sign: '~', tone: 'change' },
    removed: { sign: '-', tone: 'remove' },
  };

interface DifferenceView {
  /** What was compared with: `main (52949f7)`. */
  readonly base: string;
  readonly columns: number;
  readonly paint: Paint;
}

/** What differs between two desired states, address by address, and a line that sums it up. */
export function differenceText(difference: StateDifference, view: DifferenceView): string {
  const { settings, resources } = difference;
  const { columns, paint } = view;
  const project =
    settings.length === 0
      ? []
      : [
          `${paint('change', '~')} ${paint('strong', 'project')}`,
          ...fieldLines(settings, columns, paint),
          '',
        ];
  const blocks = resources.flatMap((resource) => [...block(resource, view), '']);
  return `${[...project, ...blocks, summary(difference, view)].join('\n')}\n`;
}

function block(resource: ResourceDifference, { columns, paint }: DifferenceView): string[] {
  const { address, previous_address: previous, action, fields } = resource;
  const { sign, tone } = SIGNS[action];
  const words = previous === undefined ? action : `renamed from ${visible(previous)}`;
  const place = action === 'created' ? (fields.map(originText).find((text) => text !== '') ?? '') : '';
  const width = cells(`${sign} ${visible(address)}  ${words}`);
  const head = `${paint(tone, sign)} ${paint('strong', visible(address))}  ${paint(tone, words)}`;
  const heading = withPlace(head, width, place, columns, paint);
  return [...heading, ...fieldLines(fields, columns, paint)];
}

function summary(
  { settings, resources, unchanged }: StateDifference,
  { base, paint }: DifferenceView,
): string {
  const number = (action: ResourceDifference['action']) =>
    resources.filter((resource) => resource.action === action).length;
  const parts = (['created', 'changed', 'removed'] as const).flatMap((action) =>
    number(action) === 0 ? [] : [paint(SIGNS[action].tone, `${number(action)} ${action}`)],
  );
  const said = parts.length === 0 && settings.length === 0 ? ['no differences'] : parts;
  const rest = `${unchanged.length} unchanged`;
  return `Compared with ${visible(base)}: ${[...said, rest].join(', ')}`;
}
