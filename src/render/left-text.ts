import type { Left, Plan } from '../model/generated/plan.ts';
import { fieldLines } from './field-lines.ts';
import { hang } from './layout.ts';
import type { Paint } from './style.ts';
import { visible } from './untrusted.ts';

/** What `--only` leaves, in every format. */

export const LEFT_TITLE = 'Left as it is on the service';
export const LEFT_WAYS =
  'To take it into git: `tradeform export --out .`. To take it back: an apply without --only, --target ADDRESS for one of them.';

/** What is planned of all there is; undefined without the option. */
export function onlyText({ only }: Pick<Plan, 'only'>): string | undefined {
  if (only === undefined) return undefined;
  return only === 'pending'
    ? 'Only what git changed; what people changed on the service stays (--only pending)'
    : 'Only what differs between the base and here; what people changed on the service stays (--only change)';
}

/** Each address with its fields, live → git, and why they stay. */
export function leftLines({ left = [] }: Pick<Plan, 'left'>, columns: number, paint: Paint): string[] {
  if (left.length === 0) return [];
  return [
    paint('warn', `${LEFT_TITLE} (${left.length}): - there, + in git`),
    ...left.flatMap((item) => [
      ...hang(
        '  · ',
        `${visible(item.address)}${runsWords(item)}${item.text === null ? '' : `: ${visible(item.text)}`}`,
        columns,
      ),
      ...item.fields.flatMap((field) => [
        ...fieldLines([field], columns, paint),
        ...hang('        ', visible(field.text), columns).map((line) => paint('dim', line)),
      ]),
    ]),
    ...hang('  ', LEFT_WAYS, columns).map((line) => paint('dim', line)),
  ];
}

export function runsWords({ running }: Left): string {
  return running ? ' (running)' : '';
}
