import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesAddress } from '../../model/address.ts';
import type { Collection } from '../../model/kind.ts';
import type { NamedLiveTask, TaskOwner } from './subjects.ts';

/** The part of the live state to export. By default everything except foreign and damaged tasks. */
export interface Selection {
  /** Addresses, globs and ids. */
  readonly names: readonly string[];
  readonly kinds: readonly Collection[];
  readonly owners: readonly TaskOwner[];
  readonly status: 'active' | 'paused' | undefined;
  /** The name of a label on the service, or `metadata.name` of its manifest. */
  readonly labels: readonly string[];
}

/** A live label or template with its address. */
export interface NamedSubject {
  readonly address: string;
  readonly id: string;
  readonly collection: Collection;
}

export interface Chosen {
  readonly task: (subject: NamedLiveTask) => boolean;
  readonly named: (subject: NamedSubject) => boolean;
  /** True if it was requested by its own name. If it cannot be exported, the command fails then. */
  readonly byName: (subject: { readonly address: string; readonly id: string }) => boolean;
}

/** Fails (exit 3) if a name matches nothing. */
export function choose(
  selection: Selection,
  tasks: readonly NamedLiveTask[],
  named: readonly NamedSubject[],
  labelNames: (id: string) => readonly string[],
): Chosen {
  const { names, kinds, owners, status, labels } = selection;
  const known = [...tasks.map(({ address, task }) => ({ address, id: task.id })), ...named];
  const unknown = names.filter((name) => !known.some((one) => fits(name, one)));
  if (unknown.length > 0)
    throw new CommandFailure(
      3,
      unknown.map((name) => unknownName(name, known)),
    );
  const byName = (subject: { readonly address: string; readonly id: string }) =>
    names.some((name) => fits(name, subject));
  const listed = (subject: { readonly address: string; readonly id: string }) =>
    names.length === 0 || byName(subject);
  const ofKind = (collection: Collection) => kinds.length === 0 || kinds.includes(collection);
  const ofTasks = owners.length > 0 || status !== undefined || labels.length > 0;
  return {
    task: (subject) => {
      const { task, owner, kind, address } = subject;
      const asked = owners.includes(owner) || names.some((name) => isNamed(name, { address, id: task.id }));
      const plainly = owner === 'owned' || owner === 'unmanaged';
      const label = task.risk_label_id === null ? [] : labelNames(task.risk_label_id);
      return (
        (plainly || asked) &&
        listed({ address, id: task.id }) &&
        ofKind(kind.collection) &&
        (owners.length === 0 || owners.includes(owner)) &&
        (status === undefined || (status === 'active') === task.is_active) &&
        (labels.length === 0 || labels.some((name) => label.includes(name)))
      );
    },
    named: (subject) => !ofTasks && listed(subject) && ofKind(subject.collection),
    byName,
  };
}

function fits(name: string, { address, id }: { readonly address: string; readonly id: string }): boolean {
  return matchesAddress(name, address) || name.toLowerCase() === id;
}

/** True if the exact name was given, and not only a `*`. Tasks of others are exported only then. */
function isNamed(name: string, { address, id }: { readonly address: string; readonly id: string }): boolean {
  return name === address || name.toLowerCase() === id;
}

function unknownName(name: string, known: readonly { readonly address: string }[]) {
  const addresses = known.map(({ address }) => address);
  return {
    severity: 'error',
    code: 'target-unknown',
    message: `${name} matches nothing on the service`,
    hint:
      didYouMean(name, addresses) ??
      'write an address such as sniper/dawn, where * stands for any text, or the id of a task',
  } as const;
}
