import { isGood } from '../model/exit-codes.ts';
/** The data of a run itself. Durations are in seconds, and times in seconds since the epoch. */
export interface MetricsRun {
  readonly command: string;
  readonly exitCode: number;
  /** The subject of the run: project, environment, fleet. Secrets are hidden. */
  readonly labels: Readonly<Record<string, string>>;
  readonly ended: number;
  readonly duration: number;
  /** By HTTP status. Without an answer: `lost` or `unsent`. */
  readonly requests: ReadonlyMap<string, number>;
  /** Undefined if the token does not expire or nobody asked. */
  readonly tokenExpires: number | undefined;
}

/** The first bytes of a metrics file. Only such a file is overwritten. */
export const METRICS_MARK = '# HELP tradeform_';

const HELP = {
  tradeform_last_run_timestamp_seconds: 'When the last run ended.',
  tradeform_last_success_timestamp_seconds: 'When the last successful run ended (exit code 0 or 2).',
  tradeform_last_run_exit_code: 'The exit code of the last run.',
  tradeform_last_run_duration_seconds: 'How long the last run took.',
  tradeform_requests: 'Requests of the last run, by HTTP status; lost and unsent had no answer.',
  tradeform_token_expiry_timestamp_seconds: 'When the API token expires; absent if it does not.',
  tradeform_exposure_sol: 'SOL at stake per trigger of the running tasks: live now, and after an apply.',
  tradeform_drift_items: 'Differences between git and the service, by class.',
  tradeform_planned: 'Changes in the plan, by action.',
  tradeform_applied: 'Changes of the last apply, by result.',
  tradeform_held_tasks: 'Tasks that stay stopped until somebody starts them.',
  tradeform_unmanaged_running_tasks: 'Running tasks that no manifest describes.',
  tradeform_exposure_left_out_tasks: 'Running tasks that the exposure leaves out, by reason.',
  tradeform_unit_exit_code: 'The exit code of each account of a fleet.',
  tradeform_unit_exposure_sol: 'SOL at stake per trigger in each account of a fleet.',
} as const;
type Name = keyof typeof HELP;
type Labels = Readonly<Record<string, string>>;

/** A figure. A value that is no number, such as a secret amount, is left out. */
export type Sample = readonly [name: Name, value: number | string | undefined, labels?: Labels];

const SUCCESS: Name = 'tradeform_last_success_timestamp_seconds';

/**
 * One run in Prometheus' text format, for the textfile collector of node-exporter, with the figures of its document.
 * `previous` is the present content of the file: a failed run keeps the time of the last success and its labels.
 */
export function metricsText(figures: readonly Sample[], run: MetricsRun, previous: string): string {
  const samples = new Map<Name, string[]>();
  const known = lastSuccess(previous, run.command);
  const own = labelsOf(run.labels);
  const common = `command="${escaped(run.command)}"${own || (known?.labels ?? '')}`;
  // A time in the future cannot be a success of tradeform.
  const former =
    (own === '' || own === known?.labels) && Number(known?.at) <= run.ended ? known?.at : undefined;
  const all: readonly Sample[] = [
    ['tradeform_last_run_timestamp_seconds', run.ended],
    [SUCCESS, isGood(run.exitCode) ? run.ended : former],
    ['tradeform_last_run_exit_code', run.exitCode],
    ['tradeform_last_run_duration_seconds', run.duration],
    ...[...run.requests].sort().map(([code, count]): Sample => ['tradeform_requests', count, { code }]),
    ['tradeform_token_expiry_timestamp_seconds', run.tokenExpires],
    ...figures,
  ];
  for (const [name, value, labels = {}] of all) {
    if (value === undefined || value === '' || !Number.isFinite(Number(value))) continue;
    const line = `${name}{${common}${labelsOf(labels)}} ${Number(value)}`;
    samples.set(name, [...(samples.get(name) ?? []), line]);
  }
  const written = Object.entries(HELP).flatMap(([name, help]) => {
    const lines = samples.get(name as Name);
    return lines === undefined ? [] : [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...lines];
  });
  return `${written.join('\n')}\n`;
}

/** For the exposure of running tasks, now and after an apply. */
export function exposureSamples(live: string, git: string): readonly Sample[] {
  return [
    ['tradeform_exposure_sol', live, { of: 'live' }],
    ['tradeform_exposure_sol', git, { of: 'git' }],
  ];
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `,${name}="${escaped(value)}"`)
    .join('');
}

/** The last success in the file, and its labels. A failed run may not know the project. */
function lastSuccess(previous: string, command: string): { labels: string; at: string } | undefined {
  const begin = `${SUCCESS}{command="${escaped(command)}"`;
  const line = previous.split('\n').find((text) => text.startsWith(begin));
  const [, labels, at] =
    /^((?:,[a-z]+="(?:[^"\\]|\\.)*")*)\} ([0-9.]+)$/.exec(line?.slice(begin.length) ?? '') ?? [];
  return labels === undefined || at === undefined ? undefined : { labels, at };
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
