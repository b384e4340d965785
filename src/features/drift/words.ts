import type { DriftClass, DriftItem, DriftReport } from '../../model/generated/drift.ts';
import { SECRET } from '../../model/secret.ts';
import { count } from '../../render/layout.ts';
import { DRIFT_CLASSES } from './classes.ts';

/** `started` → `Started`: the heading of a class. */
const TITLES: Readonly<Record<DriftClass, string>> = {
  started: 'Started: git wants these paused',
  conflict: 'Ownership conflicts',
  interrupted: 'Interrupted: an apply stopped part-way',
  stopped: 'Stopped: git wants these running',
  changed: 'Changed on the service',
  unknown: 'Unknown: written from a commit that is not in this history',
  missing: 'Missing on the service',
  damaged: 'Damaged markers',
  pending: 'Pending: git moved on',
  unmanaged: 'Unmanaged',
  foreign: 'Foreign',
};

export interface DriftGroup {
  readonly class: DriftClass;
  readonly title: string;
  readonly items: readonly DriftItem[];
}

/** The items by class in the order of display: first tasks that trade unmanaged, then the most expensive class. */
export function driftGroups({ items }: DriftReport): readonly DriftGroup[] {
  const stray = (item: DriftItem) => item.class === 'unmanaged' && item.running;
  const of = (kind: DriftClass) => items.filter((item) => item.class === kind && !stray(item));
  return [
    { class: 'unmanaged' as const, title: 'Unmanaged, and running', items: items.filter(stray) },
    ...DRIFT_CLASSES.map((kind) => ({ class: kind, title: TITLES[kind], items: of(kind) })),
  ].filter((group) => group.items.length > 0);
}

/** The address of the item, else kind and id. */
export function driftName({ address, kind, id }: DriftItem): string {
  return address ?? `${kind} ${id ?? ''}`.trim();
}

/** `1 started, 2 changed`, without empty classes. */
function driftCounts({ summary }: DriftReport): string {
  return DRIFT_CLASSES.filter((kind) => summary[kind] > 0)
    .map((kind) => `${summary[kind]} ${kind}`)
    .join(', ');
}

/** The first sentence. */
export function driftVerdict(report: DriftReport): string {
  const { summary, complete } = report;
  const counts = driftCounts(report);
  if (!complete)
    return `The live view is not complete. Known so far: ${counts === '' ? 'no drift' : counts}.`;
  if (counts === '') return 'No drift: the service has what git wants.';
  if (summary.failing === 0) return `No drift that fails the check: ${counts}.`;
  return `Drift: ${counts}.`;
}

/** The effect of `--ignore` and `--fail-on` on the exit code. Undefined without these options. */
export function policyText({ policy }: DriftReport): string | undefined {
  const parts = [
    ...(policy.ignore.length === 0 ? [] : [`${policy.ignore.join(', ')} ignored (--ignore)`]),
    ...(policy.fail_on.length === 0 ? [] : [`${policy.fail_on.join(', ')} always failing (--fail-on)`]),
  ];
  return parts.length === 0 ? undefined : `In the exit code: ${parts.join('; ')}.`;
}

/** How far pending and changed could be told apart. */
export function historyText({ history }: DriftReport): string | undefined {
  const { commits, skipped, oldest } = history;
  if (oldest === null) return undefined;
  const passed = skipped === 0 ? '' : `; ${skipped} more ${skipped === 1 ? 'does' : 'do'} not compile`;
  return `Compared with ${count(commits, 'commit')}, back to ${oldest.hash.slice(0, 7)} of ${oldest.date.slice(0, 10)}${passed}.`;
}

/** The source of the git state: `commit 1f2e3d4`, `the working tree`. */
export function sourceText({ source }: DriftReport): string {
  if (source.read === 'working-tree' || source.commit === null) return 'the working tree';
  return `commit ${source.commit.slice(0, 7)}`;
}

/** `1.5 → 1 SOL at stake after apply`, `2 → 1 running`; without arrows where an apply changes nothing. */
export function stakesTexts({ exposure }: DriftReport): readonly [money: string, running: string] {
  const { live, git, running_live, running_git } = exposure;
  return [
    live === git ? `${live} SOL at stake` : `${live} → ${git} SOL at stake after apply`,
    running_live === running_git ? `${running_live} running` : `${running_live} → ${running_git} running`,
  ];
}

/** `0.5 SOL`, `0.5 → 0.2 SOL`: now, and after apply. */
export function itemStake({ exposure }: DriftItem): string | undefined {
  const { before, after, secret } = exposure;
  if (secret === true) return `${SECRET} SOL`;
  if (before === '0' && after === '0') return undefined;
  return before === after ? `${before} SOL` : `${before} → ${after} SOL`;
}
