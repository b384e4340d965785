import type { DesiredLabel, DesiredState, DesiredTemplate } from '../../desired/state.ts';
import { CommandFailure, problem } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { matchesAddress } from '../../model/address.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Collection } from '../../model/kind.ts';
import type { LiveLabel, LiveState, LiveTemplate } from '../../model/resource.ts';
import { Names, slug } from './manifests/names.ts';
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
interface NamedSubject {
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
  const hint = 'write an address such as sniper/dawn, where * stands for any text, or the id of a task';
  return problem(
    'target-unknown',
    `${name} matches nothing on the service`,
    didYouMean(name, addresses) ?? hint,
  );
}

/** A live label or template, its name in git, and its manifest if there is one. */
export interface NamedThing extends NamedSubject {
  readonly item: Item;
  readonly name: string;
  readonly desired?: DesiredLabel | DesiredTemplate;
  /** A Removal will delete it. */
  readonly leaves: boolean;
}

/** Labels and templates are identified by their name on the service. Names of new manifests are derived from it. */
export function namedThings(
  { labels, templates }: LiveState,
  desired: Pick<DesiredState, 'labels' | 'templates' | 'removals'>,
): readonly NamedThing[] {
  const wanted = [...desired.labels, ...desired.templates];
  const names = new Map<string, Names>();
  const namesOf = (collection: string) => {
    // Presets and templates share one set of names, because `extends` takes both.
    const key = collection === 'label' ? collection : 'base';
    const known = names.get(key) ?? new Names();
    names.set(key, known);
    return known;
  };
  for (const { collection, name } of [...wanted, ...desired.removals]) namesOf(collection).reserve(name);
  const removed = new Set<string>(desired.removals.map(({ address }) => address));
  const all = [...labels, ...templates].sort(byName);
  const described = new Map(
    wanted.flatMap((want) => {
      const item = itemOf(want, all);
      return item === undefined ? [] : [[item, want] as const];
    }),
  );
  return all.map((item) => {
    const { collection, id } = item;
    const desired = described.get(item);
    const leaves = removed.has(`${collection}/${item.name.trim()}`);
    const name = desired?.name ?? (leaves ? wordsOf(item) : namesOf(collection).take(wordsOf(item)));
    const address = `${collection}/${name}`;
    return { item, id, collection, name, address, leaves, ...(desired === undefined ? {} : { desired }) };
  });
}

type Item = LiveLabel | LiveTemplate;

/** The live resource that a manifest describes: by id, by name, or by its former name. */
function itemOf(want: DesiredLabel | DesiredTemplate, all: readonly Item[]): Item | undefined {
  const same = all.filter(({ collection }) => collection === want.collection);
  const named = (name: string | undefined) => same.find((item) => item.name.trim() === name);
  const byId = want.id === undefined ? undefined : same.find(({ id }) => id === want.id);
  return byId ?? named(want.shownName) ?? named(want.previousName);
}

function wordsOf({ name, collection, id }: Item): string {
  const words = slug(name);
  const prefix = collection.replace('-template', '');
  if (words === '') return `${prefix}-${id.slice(0, 8)}`;
  return /[a-z]/.test(words) ? words : `${prefix}-${words}`;
}

function byName(a: Item, b: Item): number {
  return compareTexts(a.collection, b.collection) || compareTexts(a.name, b.name) || compareTexts(a.id, b.id);
}
