import type { Explanation } from './explanation.ts';

/** Manifests from live state. */
export const EXPORTING = {
  'export-left-out': {
    means:
      'A task, template or label was to be exported, and no manifest can say it: another project owns it, its marker is on two tasks, its target is no chain address, or its name holds characters that nobody sees.',
    matters:
      'It stays as it is on the service. A task of this project that no manifest names is removed by the next plan, as prune.tasks says.',
    act: 'Do what the message says of it, mostly in the web application, and export again.',
  },
  'export-altered': {
    means:
      'A remark does not fit beside its marker or holds what a manifest may not, or a stored value has a form that the interface does not show: whether the service would take it again is not known.',
    matters:
      'Adopting the task writes the remark that the manifest has. Fields under lifecycle.ignore_changes keep their stored value; what the manifest has there is a stand-in that is sent only where the task is created anew.',
    act: 'Look at the comments above the manifest. Shorten the remark as you like it; write the field anew and take it out of ignore_changes.',
    example:
      'lifecycle:\n  ignore_changes: [config.selected_dexes]   # the stored list has a DEX that is gone',
  },
  'export-differs': {
    means: 'The plan that the exported manifests give would do more than adopt tasks.',
    matters:
      'Git and the service do not want the same: an apply that was interrupted, a task that git wants paused and that runs, a task of this project that no manifest describes.',
    act: 'Look at it with `tradeform plan` before you apply.',
    example: 'tradeform plan --target copy-trade/whale-7',
  },
  'file-not-manifest': {
    means: 'Export would write to a file that exists and is no manifest of the project.',
    matters: 'It may be somebody’s work. Nothing was written.',
    act: 'Remove or rename the file, or name another folder with --out.',
  },
} as const satisfies Record<string, Explanation>;
