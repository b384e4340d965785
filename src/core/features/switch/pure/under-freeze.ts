import type { SwitchedTask, SwitchReport } from '../../../model/generated/report.ts';

/** The record of a pause. */
export interface RecordedPause {
  readonly run: string;
  readonly report: SwitchReport;
}

/**
 * What only a freeze keeps off: tasks that a pause under it stopped without a mark. `labels`: the ids of the freeze. Each pause has
 * replaced the label of the one before, so they lead from one record to the next. A pause that saw no labels may have been under any
 * freeze. `isWhole`: each label has the record that set it.
 */
export function keptOffBy(
  labels: readonly string[],
  pauses: readonly RecordedPause[],
  isOff: (task: SwitchedTask) => boolean,
) {
  const known = new Set(labels);
  let under: readonly RecordedPause[] = [];
  for (let more = true; more; ) {
    const linked = pauses.filter(
      (one) => one.report.freeze === undefined || idsOf(one).some((id) => known.has(id)),
    );
    more = linked.length > under.length;
    under = linked;
    for (const id of under.flatMap(idsOf)) known.add(id);
  }
  const off = under.map(({ run, report }) => ({
    run,
    names: report.changes
      .filter((task) => task.former !== null && task.wrote === null && isOff(task))
      .map(({ address, kind, id, remark }) => address ?? `${kind}/${id} (${remark})`),
  }));
  const set = new Set(under.flatMap(({ report }) => report.freeze?.set ?? []));
  return {
    off: off.filter(({ names }) => names.length > 0),
    isWhole: [...known].every((id) => set.has(id)),
  };
}

function idsOf({ report: { freeze } }: RecordedPause): readonly string[] {
  return freeze === undefined ? [] : [...freeze.set, ...freeze.found];
}
