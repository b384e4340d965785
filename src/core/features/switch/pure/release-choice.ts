import type { GuardrailLimits } from '../../../desired/guardrails/settings.ts';
import type { DesiredState } from '../../../desired/state.ts';
import { type Diagnostic, diagnostic, problem, warning } from '../../../diagnostics/diagnostic.ts';
import { matchesAddress } from '../../../model/address.ts';
import { kindOf } from '../../../model/kind.ts';
import { bareNote, type ProjectNames, remarkOf } from '../../../model/marker.ts';
import { passesWriteSchema } from '../../../model/write-schema.ts';
import type { KnownTask } from '../../../plan/identity/known-task.ts';
import type { Manifests } from './resume-choice.ts';

/** A task that loses its marker, and its remark afterwards. */
interface ReleaseChoice {
  readonly known: KnownTask;
  readonly after: string;
}

/**
 * If one is refused, nothing is done to any. `manifests`: the manifest of a task may be protected, even if its marker has another
 * name; undefined if they cannot be read.
 */
export function releaseChoices(
  seen: readonly KnownTask[],
  ids: readonly string[],
  protect: GuardrailLimits['protect'],
  manifests: Manifests | undefined,
): { readonly chosen: readonly ReleaseChoice[]; readonly diagnostics: readonly Diagnostic[] } {
  const chosen = seen.filter(({ task }) => ids.includes(task.id));
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
    diagnostics: [...chosen.flatMap((known) => problemOf(known) ?? []), ...kept],
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

function refusal(message: string, hint: string): Diagnostic {
  return problem('release-refused', message, hint);
}

/** Warnings for people before they approve. */
export function releaseWarnings(
  chosen: readonly ReleaseChoice[],
  seen: readonly KnownTask[],
  desired: DesiredState | undefined,
  project: ProjectNames,
): readonly Diagnostic[] {
  const stay = seen.filter((known) => chosen.every((choice) => choice.known !== known));
  const legacy = chosen.flatMap(({ known: { task, address } }): readonly Diagnostic[] => {
    if (passesWriteSchema(kindOf(task.collection).config, task.config)) return [];
    const message = `${address ?? task.id} has a legacy config: the service may refuse to write its remark, and then the marker stays`;
    return [warning('release-legacy', message)];
  });
  if (desired === undefined || desired.project !== project.project) {
    const message = 'the manifests cannot be read here: it is unknown whether one of them names these tasks';
    return [...legacy, warning('release-named', message, BETTER)];
  }
  return [...legacy, ...chosen.flatMap(({ known }) => namedWarning(known, stay, desired))];
}

const BETTER =
  'To release a task for good, add a Removal with release: true in the commit that removes its manifest. If only the manifest is removed, an apply deletes the task.';

/** `stay`: the tasks that keep their markers. */
function namedWarning(
  { address, task }: KnownTask,
  stay: readonly KnownTask[],
  { tasks }: DesiredState,
): readonly Diagnostic[] {
  const wanted = tasks.find((one) => one.address === address || one.id === task.id);
  if (wanted === undefined) return [];
  // The manifest means the other one of two tasks with one marker.
  const isClone = address !== null && stay.some((one) => one.address === address);
  const next = isClone
    ? 'the next plan continues with the other task that carries its marker'
    : 'the next plan adopts the task again, is blocked there, or creates another task';
  const about = { address: wanted.address, location: wanted.origin('metadata.name') };
  const message = `${wanted.address} is still in the manifests: ${next}`;
  return [warning('release-named', message, isClone ? undefined : BETTER, about)];
}
