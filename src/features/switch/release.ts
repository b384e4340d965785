import type { Requests } from '../../act/requests.ts';
import { releaseTask } from '../../act/switch-on.ts';
import type { Io } from '../../command/io.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import { parseAddress } from '../../model/address.ts';
import { kindOf } from '../../model/kind.ts';
import { allTasks } from './choice.ts';
import { releaseChoices, releaseWarnings } from './pure/release-choice.ts';
import { manifestsOf } from './pure/resume-choice.ts';
import { secretsIn } from './pure/secrets.ts';
import { switchedTask } from './report.ts';
import { jobOn, runSwitch, type SwitchOptions, type WorkEnd } from './run.ts';

export interface ReleaseOptions extends Omit<SwitchOptions, 'all' | 'kind' | 'label' | 'includeUnmanaged'> {
  readonly id?: readonly string[];
}

/**
 * `tradeform release`: removes the marker from the named tasks after a literal `yes`. The tasks stay as they are. Needs no valid
 * manifests. Returns the exit code: 0 if all are released, 1 if one is not, 3 for an unknown name, 4 if one is refused or the
 * approval is missing, 130 after an interruption.
 */
export async function runRelease(
  addresses: readonly string[],
  options: ReleaseOptions,
  io: Io,
): Promise<number> {
  const names = [...addresses, ...(options.id ?? []).map((id) => id.toLowerCase())];
  requireTasks(names);
  const selection = { names, kinds: [], labels: [], includeUnmanaged: true };
  const project = await readProjectOf(options, io);
  const desired = project.state;
  return runSwitch('release', options, io, { project }, async (context) => {
    const seen = await allTasks(selection, context, io);
    const { protect } = project.declared?.limits ?? {};
    const manifests = desired && manifestsOf(desired, seen);
    const { chosen, diagnostics } = releaseChoices(seen, names, protect, manifests);
    const secrets = secretsIn(manifests);
    const items = chosen.map(({ known, after }) => {
      const send = (requests: Requests) => releaseTask(known.task, after, requests);
      const fields = [{ path: 'remark', before: known.task.remark, after, sensitive: false }];
      const planned: WorkEnd = { known, status: 'planned', text: '' };
      return {
        work: { known, verb: 'released', send } as const,
        row: ({ known: now, ...end } = planned) =>
          switchedTask(now, { ...end, action: 'release', fields }, secrets),
      };
    });
    const tasks = seen.map(({ task }) => task);
    const warnings = [...diagnostics, ...releaseWarnings(chosen, tasks, desired, context.project)];
    const question = 'Remove these markers? Only "yes" is accepted: ';
    return jobOn(items, { doing: 'Releasing', question, warnings }, context, options, io);
  });
}

/** Fails with exit 3 without a name, or for one that no single task can have. */
function requireTasks(names: readonly string[]): void {
  if (names.length === 0) throw usage('no task is named', 'Name tasks by address (sniper/dawn), name or id.');
  const wrong = names.find((name) => {
    const parsed = parseAddress(name);
    return name.includes('*') || (parsed !== undefined && kindOf(parsed.collection).family !== 'task');
  });
  if (wrong === undefined) return;
  throw usage(
    `${wrong} is not the address of a task`,
    'Name each task, without *. Templates and labels have no marker: a Removal deletes them.',
  );
}
