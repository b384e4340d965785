import type { GuardrailLimits } from '../../../desired/guardrails/settings.ts';
import type { DesiredState, DesiredTask } from '../../../desired/state.ts';
import { type Diagnostic, diagnostic, problem, warning } from '../../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../../model/address.ts';
import { kindOf } from '../../../model/kind.ts';
import { bareNote, markerOf, type ProjectNames, remarkOf } from '../../../model/marker.ts';
import type { LiveTask } from '../../../model/resource.ts';
import { passesWriteSchema } from '../../../model/write-schema.ts';
import { type KnownTask, namesTask } from '../../../plan/identity/known-task.ts';
import { matchTasks } from '../../../plan/identity/match-tasks.ts';
import type { TaskMatch } from '../../../plan/identity/task-match.ts';
import type { Manifests } from './resume-choice.ts';

/** A task that loses its marker, and its remark afterwards. */
interface ReleaseChoice {
  readonly known: KnownTask;
  readonly after: string;
}

/**
 * By address or name only tasks of the project, by id any task. If one is refused, nothing is done to any. `manifests`: the manifest
 * of a task may be protected, even if its marker has another name; undefined if they cannot be read.
 */
export function releaseChoices(
  seen: readonly KnownTask[],
  names: readonly string[],
  protect: GuardrailLimits['protect'],
  manifests: Manifests | undefined,
): { readonly chosen: readonly ReleaseChoice[]; readonly diagnostics: readonly Diagnostic[] } {
  const named = names.map((name) => seen.filter((known) => namesTask(name, known)));
  const chosen = [...new Set(named.flat())];
  const shared = names.flatMap((name, at) => {
    const owners = named[at] ?? [];
    return owners.length > 1 ? [several(name, owners)] : [];
  });
  const severity = protect?.action === 'refuse' ? 'error' : 'warning';
  const kept = chosen.flatMap(({ address, task }) => {
    const [first] = [address, manifests?.get(task.id)?.address].flatMap((name) => {
      const entry = protect?.limit.find(({ text }) => matchesAddress(text, name ?? ''));
      if (name == null || entry === undefined) return [];
      const message = `${name} would be released, but protect contains ${entry.text}`;
      const hint = 'Remove the address from protect in the project file first.';
      const at = { address: name, location: entry.location };
      return [diagnostic(severity, 'guardrail-protect', message, hint, at)];
    });
    return first === undefined ? [] : [first];
  });
  return {
    chosen: chosen.map((known) => ({ known, after: bareNote(remarkOf(known.task)) })),
    diagnostics: [...shared, ...chosen.flatMap((known) => problemOf(known) ?? []), ...kept],
  };
}

function problemOf({ owner, marker, task }: KnownTask): Diagnostic | undefined {
  const name = `${task.collection}/${task.id}`;
  if (owner === 'unmanaged') {
    return refusal(`${name} has no marker`, 'There is nothing to release: it is not managed from git.');
  }
  if (owner !== 'foreign') return undefined;
  const project = marker?.project ?? '';
  return refusal(
    `${name} belongs to project ${project}`,
    `Release it in that project, or with --project-name ${project}.`,
  );
}

function several(name: string, owners: readonly KnownTask[]): Diagnostic {
  const ids = owners.map(({ task }) => task.id).sort();
  return refusal(
    `${name} names ${ids.length} tasks: ${ids.join(', ')}`,
    `Choose one: ${ids.map((id) => `--id ${id}`).join(' or ')}.`,
  );
}

function refusal(message: string, hint: string): Diagnostic {
  return problem('release-refused', message, hint);
}

/** Warnings for people before they approve. */
export function releaseWarnings(
  chosen: readonly ReleaseChoice[],
  tasks: readonly LiveTask[],
  desired: DesiredState | undefined,
  project: ProjectNames,
): readonly Diagnostic[] {
  const legacy = chosen.flatMap(({ known: { task, address } }): readonly Diagnostic[] => {
    if (passesWriteSchema(kindOf(task.collection).config, task.config)) return [];
    const message = `${address ?? task.id} has a legacy config: the service may refuse to write its remark, and then the marker stays`;
    return [warning('release-legacy', message)];
  });
  if (desired === undefined || desired.project !== project.project) {
    const message = 'the manifests cannot be read here: it is unknown whether one of them names these tasks';
    return [...legacy, warning('release-named', message, BETTER)];
  }
  return [...legacy, ...chosen.flatMap((choice) => namedWarning(choice, chosen, tasks, desired))];
}

const BETTER =
  'To release a task for good, add a Removal with release: true in the commit that removes its manifest. If only the manifest is removed, an apply deletes the task.';

function namedWarning(
  { known }: ReleaseChoice,
  chosen: readonly ReleaseChoice[],
  tasks: readonly LiveTask[],
  desired: DesiredState,
): readonly Diagnostic[] {
  const { collection, id } = known.task;
  const wanted = desired.tasks.filter((task) => task.collection === collection);
  const task = wanted.find((one) => one.address === known.address || one.id === id);
  if (task === undefined) return [];
  const after = new Map(chosen.map((choice) => [choice.known.task.id, choice.after]));
  const then = tasks
    .filter((live) => live.collection === collection)
    .map((live) => ({ ...live, remark: after.get(live.id) ?? live.remark }));
  const match = matchTasks(kindOf(collection), desired, wanted, then).matches.get(task);
  // The manifest means the other one of two tasks with one marker, and that task keeps its marker.
  const ofClone = then.some((task) => task.id !== id && isNamed(task, known));
  const { address } = task;
  const message = `${address} is still in the manifests: ${whatNext(match, task)}`;
  const about = { address, location: task.origin('metadata.name') };
  return [warning('release-named', message, ofClone ? undefined : BETTER, about)];
}

/** True for a marker with the same project and task name as that of the released task. */
function isNamed(task: LiveTask, { marker }: KnownTask): boolean {
  const found = markerOf(task);
  if (found === undefined || marker === undefined) return false;
  return found.project === marker.project && found.name === marker.name;
}

function whatNext(match: TaskMatch | undefined, { address }: DesiredTask): string {
  switch (match?.type) {
    case 'adopt':
      return 'the next plan adopts the task again';
    case 'create':
      return 'the next plan creates another task beside this one';
    case 'owned':
    case 'pair':
      return `the next plan continues with the other task that carries the marker of ${address}`;
    case 'blocked':
      return `the next plan is blocked at that address. ${match.text}`;
    default:
      return 'the next plan shows what happens to it';
  }
}
