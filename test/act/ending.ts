import type { ApplyResult } from '../../src/core/act/report.ts';
import type { DesiredState } from '../../src/core/desired/state.ts';
import type { Plan } from '../../src/core/model/generated/plan.ts';
import type { ChangeResult } from '../../src/core/model/generated/report.ts';
import type { Over } from '../support/world.ts';
import type { Meddler, Stage } from './stage.ts';

/** How the first change of an apply ended, in short words. */
export interface Ending {
  readonly report: ApplyResult;
  readonly change: ChangeResult;
  readonly status: ChangeResult['status'];
  readonly text: string;
  /** `pause done`. */
  readonly operations: readonly string[];
  /** `POST pause`, `GET configs`, and `GET` alone of one resource: the last part of the path, without query and id. */
  readonly sent: readonly string[];
}

export async function carryOut(stage: Stage, plan: Plan, meddler?: Meddler, over?: Over): Promise<Ending> {
  const report = await stage.apply(plan, meddler, over);
  if (report === 'crashed') throw new Error('crashed');
  const [change] = report.changes;
  if (change === undefined) throw new Error('nothing was planned');
  return {
    report,
    change,
    status: change.status,
    text: change.text,
    operations: change.operations.map(({ verb, status }) => `${verb} ${status}`),
    sent: stage.requests.map(({ method, path }) =>
      `${method} ${/(?<=\/)[a-z]+(?=$|\?)/.exec(path)?.[0] ?? ''}`.trim(),
    ),
  };
}

export async function planAndCarryOut(
  stage: Stage,
  desired: DesiredState,
  meddler?: Meddler,
  over?: Over,
): Promise<Ending> {
  return carryOut(stage, await stage.plan(desired, { allowEmpty: true }), meddler, over);
}

/** Does something right before the first request whose method and path match. */
export function rightBefore(which: RegExp, act: () => void): Meddler {
  let done = false;
  return (_, { method, path }) => {
    if (!done && which.test(`${method} ${path}`)) {
      done = true;
      act();
    }
    return undefined;
  };
}
