import { ALPHA } from './service.ts';

/** A command line that every hostile repository is run with. */
export interface Line {
  readonly args: readonly string[];
  /** It changes files of the project: such lines run one after the other, after all others. */
  readonly writes?: true;
  /** It serves until it is stopped, as soon as it has printed something. */
  readonly serves?: true;
}

const REPORTS = ['markdown', 'json', 'html', 'sarif', 'github', 'gitlab'].flatMap((format) => [
  '--report',
  `${format}=report.${format}`,
]);

/** Of each command of the program, its name first: a test fails where one is missing. */
export const LINES: readonly Line[] = [
  { args: ['validate'] },
  { args: ['validate', '-o', 'github'] },
  { args: ['render', '--origin'] },
  { args: ['render', '--diff', 'main'] },
  { args: ['plan'] },
  { args: ['plan', '--base', 'main', '-o', 'json'] },
  { args: ['apply', '--auto-approve'] },
  { args: ['status'] },
  { args: ['drift', '-o', 'json'] },
  { args: ['export'] },
  { args: ['pause', '--all'] },
  { args: ['resume', '--all', '--auto-approve'] },
  { args: ['release', '--id', ALPHA, '--auto-approve'] },
  { args: ['doctor'] },
  { args: ['log', '.'] },
  { args: ['rollback', 'main', '--auto-approve'] },
  { args: ['fmt', '--check'] },
  { args: ['explain', 'SniperTask.spec.config.buy_amount'] },
  { args: ['schema', 'sniper'] },
  { args: ['completion', 'bash'] },
  { args: ['__complete', '--', 'plan', '--target', ''] },
  { args: ['__complete', '--', 'plan', '--base', ''] },
  { args: ['sandbox'], serves: true },
  { args: ['plan', '--base', 'main', ...REPORTS], writes: true },
  { args: ['plan', '--out', 'saved.plan'], writes: true },
  { args: ['report', 'saved.plan', '--html', 'report.html'], writes: true },
  { args: ['apply', 'saved.plan', '--auto-approve'], writes: true },
  { args: ['comment', 'plan', 'report'], writes: true },
  { args: ['export', '--out', '.'], writes: true },
  { args: ['init', '--ci', 'github'], writes: true },
  { args: ['init', '--from-live', '--project-name', 'core', 'new'], writes: true },
  { args: ['fleet', 'init', '--fleet', 'new-fleet.yaml'], writes: true },
  { args: ['fleet', 'validate', '--fleet', 'new-fleet.yaml'], writes: true },
  { args: ['fleet', 'matrix', '--fleet', 'new-fleet.yaml'], writes: true },
  { args: ['fleet', 'plan', '--fleet', 'new-fleet.yaml', '--out', 'plans'], writes: true },
  { args: ['fmt'], writes: true },
  { args: ['fmt', 'manifests/alpha.yaml'], writes: true },
];
