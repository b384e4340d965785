import type { Requests } from '../../act/requests.ts';
import { releaseTask } from '../../act/switch-on.ts';
import type { Io } from '../../command/io.ts';
import { readProjectOf } from '../../command/read-project.ts';
import { CommandFailure, problem, usage } from '../../diagnostics/diagnostic.ts';
import { shownField } from '../../model/secret.ts';
import { allTasks } from './choice.ts';
import { releaseChoices, releaseWarnings } from './pure/release-choice.ts';
import { manifestsOf } from './pure/resume-choice.ts';
import { readSecrets, switchedTask } from './report.ts';
import { jobOn, runSwitch, type SwitchOptions, type WorkEnd } from './run.ts';

export interface ReleaseOptions extends Omit<SwitchOptions, 'all' | 'kind' | 'label' | 'includeUnmanaged'> {
  readonly id?: readonly string[];
}

/**
 * `tradeform release`: removes the marker from the tasks with these ids after a literal `yes`, the way out of a clone or a damaged
 * marker. The tasks stay as they are. Needs no valid manifests. Returns the exit code: 0 if all are released, 1 if one is not, 3 for
 * an unknown id, 4 if one is refused or the approval is missing, 130 after an interruption.
 */
export async function runRelease(options: ReleaseOptions, io: Io): Promise<number> {
  const ids = (options.id ?? []).map((id) => id.toLowerCase());
  requireIds(ids);
  const project = await readProjectOf(options, io);
  const desired = project.state;
  return runSwitch('release', options, io, { project }, async (context) => {
    const seen = await allTasks(EVERY_TASK, context, io);
    const unknown = ids.filter((id) => seen.every(({ task }) => task.id !== id));
    if (unknown.length > 0) throw new CommandFailure(3, unknown.map(unknownId));
    const { protect } = project.declared?.limits ?? {};
    const manifests = desired && manifestsOf(desired, seen);
    const secrets = await readSecrets(seen, project, io);
    const { chosen, diagnostics } = releaseChoices(seen, ids, protect, manifests);
    const items = chosen.map(({ known, after }) => {
      const send = (requests: Requests) => releaseTask(known.task, after, requests);
      const remark = { path: 'remark', before: known.task.remark, after, sensitive: false };
      const fields = [shownField(remark, secrets(known, 'task'))];
      const planned: WorkEnd = { known, status: 'planned', text: '' };
      return {
        work: { known, verb: 'released', send } as const,
        row: ({ known: now, ...end } = planned) =>
          switchedTask(now, { ...end, action: 'release', fields }, secrets),
      };
    });
    const warnings = [...diagnostics, ...releaseWarnings(chosen, seen, desired, context.project)];
    const question = 'Remove these markers? Only "yes" is accepted: ';
    return jobOn(items, { doing: 'Releasing', question, warnings }, context, options, io);
  });
}

const EVERY_TASK = { names: [], kinds: [], labels: [], includeUnmanaged: true };

const unknownId = (id: string) =>
  problem('target-unknown', `${id} is the id of no task here`, '`tradeform status -o json` lists the ids.');

/** Fails with exit 3 without an id, or for a text that is none. */
function requireIds(ids: readonly string[]): void {
  const wrong = ids.find((id) => !/^[0-9a-f-]{36}$/.test(id));
  if (ids.length > 0 && wrong === undefined) return;
  throw usage(
    wrong === undefined ? 'no task is named' : `${wrong} is not the id of a task`,
    'Write --id with the id that the service shows. What git names, a Removal with release: true releases, in the commit that removes the manifest.',
  );
}
