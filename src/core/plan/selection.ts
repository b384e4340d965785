import type { DesiredState } from '../desired/state.ts';
import { problem } from '../diagnostics/diagnostic.ts';
import { guessFirst } from '../diagnostics/suggest.ts';
import { matchesAddress } from '../model/address.ts';
import type { Change, PlanDiagnostic } from '../model/generated/plan.ts';
import type { Draft } from './draft.ts';
import { nearTask } from './identity/known-task.ts';
import type { PlanInput, PlanOptions } from './input.ts';

function matchesAny(patterns: readonly string[], address: string): boolean {
  return patterns.some((pattern) => matchesAddress(pattern, address));
}

/** True if `--target` selects the address and `--exclude` does not leave it out. */
export function isSelected(
  address: string,
  { targets, excludes }: { readonly targets: readonly string[]; readonly excludes: readonly string[] },
): boolean {
  return (targets.length === 0 || matchesAny(targets, address)) && !matchesAny(excludes, address);
}

/**
 * The drafts that `--target` selects and neither `--exclude` nor `--only` leaves out, with the labels that they need.
 */
export function selectDrafts(
  drafts: readonly Draft[],
  options: PlanOptions,
  left: ReadonlySet<string> = new Set(),
): readonly Draft[] {
  const chosen = drafts.filter(
    ({ change: { address } }) => isSelected(address, options) && !left.has(address),
  );
  const addresses = new Set(chosen.flatMap(({ change, requires }) => [change.address, ...requires]));
  return drafts.filter(({ change }) => addresses.has(change.address));
}

/**
 * Errors for `--target`, `--exclude` and `--resume-stopped` that match nothing: a typing error, not an empty selection.
 * Similar names are suggested from the manifests and the changes of the plan.
 */
export function unknownSelectors(
  input: PlanInput,
  drafts: readonly Draft[],
  changes: readonly Change[],
): readonly PlanDiagnostic[] {
  const { targets, excludes, resumeStopped } = input.options;
  const { tasks, templates, labels, removals } = input.desired;
  const desired = [...tasks, ...templates, ...labels, ...removals].map(({ address }): string => address);
  const known = new Set([...desired, ...drafts.map(({ change }) => change.address), ...(input.known ?? [])]);
  const selectors = [...targets, ...excludes, ...(Array.isArray(resumeStopped) ? resumeStopped : [])];
  return selectors
    .filter((pattern) => ![...known].some((address) => matchesAddress(pattern, address)))
    .map((pattern) =>
      problem(
        'target-unknown',
        `${pattern} matches nothing in the manifests or on the service`,
        guessFirst(
          nearTask(pattern, [...desired, ...changes.map(({ address }) => address)]),
          'An address is <collection>/<name>, such as sniper/morning; * stands for any text.',
        ),
      ),
    );
}

/** Whether a held task should be started, and why. */
export function resumePolicy(
  desired: DesiredState,
  { resumeStopped }: PlanOptions,
  stay: ReadonlySet<string> = new Set(),
): (address: string) => 'asked' | 'configured' | 'no' {
  return (address) => {
    if (resumeStopped === 'all') return 'asked';
    if (resumeStopped !== 'none' && matchesAny(resumeStopped, address)) return 'asked';
    return desired.stoppedTasks === 'resume' && !stay.has(address) ? 'configured' : 'no';
  };
}
