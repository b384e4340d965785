import type { GuardrailLimits, Listed } from '../../desired/guardrails/settings.ts';
import type { DesiredState, DesiredTask } from '../../desired/state.ts';
import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesAddress } from '../../model/address.ts';
import { kindOf } from '../../model/kind.ts';
import { bareNote, markerOf, type ProjectNames, remarkOf } from '../../model/marker.ts';
import type { LiveTask } from '../../model/resource.ts';
import { passesWriteSchema } from '../../model/write-schema.ts';
import type { KnownTask } from '../../plan/identity/known-task.ts';
import { matchTasks } from '../../plan/identity/match-tasks.ts';
import type { TaskMatch } from '../../plan/identity/task-match.ts';
import type { Manifests } from './stored-otherwise.ts';

/** The request to `tradeform release`. */
interface ReleaseAsk {
  readonly addresses: readonly string[];
  readonly ids: readonly string[];
  readonly protect: GuardrailLimits['protect'];
  /** The manifest of a task may be protected, even if its marker has another name. Undefined if the manifests cannot be read. */
  readonly manifests: Manifests | undefined;
}

/** A task that loses its marker, and its remark afterwards. */
export interface ReleaseChoice {
  readonly known: KnownTask;
  readonly after: string;
}

interface ReleaseChoices {
  readonly chosen: readonly ReleaseChoice[];
  /** Names that match nothing: typing errors. */
  readonly unknown: readonly Diagnostic[];
  /** Refusals: tasks that must not be released, or not in this way. */
  readonly refused: readonly Diagnostic[];
  /** Warnings of `protect` if it only warns. */
  readonly warned: readonly Diagnostic[];
}

/** Chooses by address among the project's own tasks, and by id among all tasks. If one is refused, nothing is done to any. */
export function releaseChoices(seen: readonly KnownTask[], ask: ReleaseAsk): ReleaseChoices {
  const unknown: Diagnostic[] = [];
  const refused: Diagnostic[] = [];
  const chosen = new Map<string, KnownTask>();
  for (const address of ask.addresses) {
    const owners = seen.filter((known) => known.address === address);
    const [only, second] = owners;
    if (only === undefined) unknown.push(noOwner(address, seen));
    else if (second === undefined) chosen.set(only.task.id, only);
    else refused.push(several(address, owners));
  }
  for (const id of ask.ids) {
    const known = seen.find(({ task }) => task.id === id);
    const problem = known === undefined ? undefined : problemOf(known);
    if (known === undefined) unknown.push(noTask(id));
    else if (problem !== undefined) refused.push(problem);
    else chosen.set(id, known);
  }
  const warned: Diagnostic[] = [];
  for (const { address, task } of chosen.values()) {
    const found = [address, ask.manifests?.get(task.id)?.address].flatMap((name) => {
      const entry = ask.protect?.limit.find(({ text }) => matchesAddress(text, name ?? ''));
      return name == null || entry === undefined ? [] : [protectedBy(name, entry)];
    });
    const [first] = found;
    if (first === undefined) continue;
    if (ask.protect?.action === 'refuse') refused.push(first);
    else warned.push({ ...first, severity: 'warning' });
  }
  return {
    chosen: [...chosen.values()].map((known) => ({ known, after: bareNote(remarkOf(known.task)) })),
    unknown,
    refused,
    warned,
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

function several(address: string, owners: readonly KnownTask[]): Diagnostic {
  const ids = owners.map(({ task }) => task.id).sort();
  return refusal(
    `${ids.length} tasks carry the marker of ${address}: ${ids.join(', ')}`,
    `Choose one: ${ids.map((id) => `--id ${id}`).join(' or ')}.`,
  );
}

function protectedBy(address: string, { text, location }: Listed): Diagnostic {
  return {
    severity: 'error',
    code: 'guardrail-protect',
    address,
    message: `${address} would be released, but protect contains ${text}`,
    hint: 'Remove the address from protect in the project file first.',
    location,
  };
}

function refusal(message: string, hint: string): Diagnostic {
  return { severity: 'error', code: 'release-refused', message, hint };
}

function noOwner(address: string, seen: readonly KnownTask[]): Diagnostic {
  const known = seen.flatMap((one) => (one.address === null ? [] : [one.address]));
  const hint = didYouMean(address, known);
  const message = `${address} matches no task of the project on the service`;
  return { severity: 'error', code: 'target-unknown', message, ...(hint === undefined ? {} : { hint }) };
}

function noTask(id: string): Diagnostic {
  const message = `--id ${id}: the service has no such task`;
  return {
    severity: 'error',
    code: 'target-unknown',
    message,
    hint: '`tradeform status -o json` lists the ids',
  };
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
  const place = task.origin('metadata.name');
  // The manifest means the other one of two tasks with one marker, and that task keeps its marker.
  const ofClone = then.some((task) => task.id !== id && isNamed(task, known));
  return [
    {
      severity: 'warning',
      code: 'release-named',
      address: task.address,
      message: `${task.address} is still in the manifests: ${whatNext(match, task)}`,
      ...(ofClone ? {} : { hint: BETTER }),
      ...(place === undefined ? {} : { location: place }),
    },
  ];
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
