import { expect } from 'vitest';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ApplyReport } from '../../src/core/model/generated/report.ts';
import type { OnlyOptions } from '../../src/core/planning/only.ts';
import { type DriftRun, openDrift } from '../features/drift/drift-run.ts';

export const PENDING = { only: 'pending' } as const satisfies OnlyOptions;
const MINUTE = 60_000;

/** A project whose history and service share one clock: a minute passes before everything that happens. */
export interface OnlyRun extends Omit<DriftRun, 'applied'> {
  committed(files: Readonly<Record<string, string | null>>, subject?: string): string;
  edited: DriftRun['edit'];
  planned(options?: OnlyOptions): Promise<Plan>;
  /** Applies, and asks for a second plan, which is empty. */
  applied(options?: OnlyOptions): Promise<ApplyReport>;
  /** Of a sniper task: is it running, its buy amount, its relay tip. */
  is(name: string): readonly [boolean, unknown, unknown];
  /** Sets the relay tip, as a person would. */
  tip(name: string, amount: string): void;
}

export async function openOnly(): Promise<OnlyRun> {
  const run = await openDrift({ clock: true });
  const later = () => run.sandbox.advance(MINUTE);
  const planned = (options: OnlyOptions = PENDING) => run.planned(options);
  const edited: DriftRun['edit'] = (...edit) => {
    later();
    run.edit(...edit);
  };
  const relay = (name: string) => run.live(name).config.relay_mode as { readonly tip_amount: string };
  return {
    ...run,
    planned,
    edited,
    committed(files, subject = 'change') {
      later();
      run.manifests(files);
      return run.commit(subject);
    },
    async applied(options = PENDING) {
      later();
      const asked = { ...options, autoApprove: true, firstApply: true, output: 'json' };
      const { stdout, diagnostics } = await run.apply(undefined, asked);
      expect(diagnostics).toEqual([]);
      const report = JSON.parse(stdout) as ApplyReport;
      expect(report.outcome).toBe('done');
      expect((await planned(options)).operations).toEqual([]);
      return report;
    },
    is: (name) => [run.live(name).is_active, run.live(name).config.buy_amount, relay(name).tip_amount],
    tip: (name, tip_amount) => edited(name, { merge: { relay_mode: { ...relay(name), tip_amount } } }),
  };
}

/** `sniper/dawn config.buy_amount` for each field that is left, the address alone where nothing is done at it. */
export function leftOf({ left = [] }: Pick<Plan, 'left'> | ApplyReport): readonly string[] {
  // The schema of a report says no more than that these are objects.
  return (left as NonNullable<Plan['left']>).flatMap(({ address, text, fields }) =>
    text === null ? fields.map(({ path }) => `${address} ${path}`) : [address],
  );
}
