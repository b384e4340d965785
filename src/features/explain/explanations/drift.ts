import type { Explanation } from './explanation.ts';

/** How far `tradeform drift` could look back. */
export const DRIFT = {
  'history-none': {
    means: 'The project lies in no git repository, or in one without a commit that has it.',
    matters:
      'Drift is still found, and what stopped or started is still told. Whether somebody changed a task or git moved on is not: without earlier commits both look the same.',
    act: 'Run it in a clone of the repository.',
  },
  'history-shallow': {
    means: 'The clone holds only the latest commits, as workflows make them by default.',
    matters:
      'What an earlier commit wants cannot be seen, so that a task which nobody touched may be reported as changed.',
    act: 'Fetch the history: git fetch --unshallow; in a GitHub workflow fetch-depth: 0 for actions/checkout, in GitLab GIT_DEPTH: 0.',
  },
  'history-limited': {
    means:
      'The search ended at --depth or --since, and something still differed from every commit it looked at.',
    matters: 'It may be pending from a commit further back, and is reported as changed.',
    act: 'Give --depth a larger number or --since an earlier date, if that matters to you.',
    example: 'tradeform drift --depth 1000\ntradeform drift --since 2026-01-01',
  },
  'commits-skipped': {
    means: 'Earlier commits hold manifests that do not compile today.',
    matters:
      'What they wanted is not known. Nothing of them can have been applied, unless a variable of the environment was set then and is not now, or an older tradeform took them.',
    act: 'Nothing, as a rule. Set the variables that they need, if something is reported as changed that should be pending.',
  },
  'working-tree-differs': {
    means: 'There are changes in the working tree that nobody has committed.',
    matters: 'Drift is held against the commit of HEAD: what is not committed is not what git wants.',
    act: 'Commit it, or look at it with `tradeform plan`, which reads the working tree.',
  },
} as const satisfies Record<string, Explanation>;
