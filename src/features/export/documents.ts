import { compareTexts } from '../../model/compare-texts.ts';
import { labelManifest, templateManifest } from './manifests/named.ts';
import { type Exported, Names } from './manifests/names.ts';
import { withPresets } from './manifests/presets.ts';
import { taskManifest } from './manifests/task.ts';
import { withWallets } from './manifests/wallet-book.ts';
import type { NamedThing } from './selection.ts';
import type { NamedLiveTask } from './subjects.ts';

/** What could not be written, and why, as a sentence. */
export interface LeftOut {
  readonly address: string;
  readonly id: string;
  readonly text: string;
  /** Only some fields of an existing manifest are affected. */
  readonly partly?: true;
}

interface DocumentsInput {
  readonly project: string;
  /** Tasks that get a manifest. */
  readonly tasks: readonly NamedLiveTask[];
  readonly named: readonly NamedThing[];
  /** `metadata.name` of the label with this id. Undefined if the label cannot have a manifest. */
  readonly label: (id: string) => string | undefined;
  readonly presets: boolean;
  /** Names of the existing manifests. */
  readonly taken: { readonly presets: readonly string[]; readonly books: readonly string[] };
  readonly wallets: ReadonlyMap<string, string>;
}

/** The manifests of live resources in the order of printing: first those that others refer to. */
export function documentsOf(input: DocumentsInput): {
  readonly documents: readonly Exported[];
  readonly leftOut: readonly LeftOut[];
} {
  const leftOut: LeftOut[] = [];
  const take = (made: Exported | string, { address, id }: { address: string; id: string }) => {
    if (typeof made !== 'string') return [made];
    leftOut.push({ address, id, text: made });
    return [];
  };
  const named = input.named.map((thing) => ({ thing, made: manifestOf(thing) }));
  const resources = named.flatMap(({ thing, made }) => take(made, thing));
  const context = { project: input.project, label: input.label };
  const tasks = input.tasks.flatMap((subject) =>
    take(taskManifest(subject, context), { address: subject.address, id: subject.task.id }),
  );
  const composed = composedTasks(input, tasks);
  const others = composed.filter(({ id }) => id === null);
  return {
    documents: [
      ...resources.filter(({ address }) => address.startsWith('label/')),
      ...others,
      ...resources.filter(({ address }) => !address.startsWith('label/')),
      ...composed.filter(({ id }) => id !== null).sort((a, b) => compareTexts(a.address, b.address)),
    ],
    leftOut,
  };
}

/** The names of labels for tasks: of existing manifests, and of manifests that are written together with the task. */
export function labelNames(things: readonly NamedThing[]): (id: string) => string | undefined {
  const names = new Map(
    things
      .filter((thing) => thing.collection === 'label')
      .filter((thing) => thing.desired !== undefined || typeof manifestOf(thing) !== 'string')
      .map(({ id, name }) => [id, name]),
  );
  return (id) => names.get(id);
}

function manifestOf({ item, name }: NamedThing): Exported | string {
  return item.collection === 'label' ? labelManifest(item, name) : templateManifest(item, name);
}

/** Moves shared addresses into a wallet book and, if requested, shared config into presets. */
function composedTasks(
  { wallets, taken, presets, named }: DocumentsInput,
  tasks: readonly Exported[],
): readonly Exported[] {
  const walletNames = reserved([...wallets.keys()]);
  const book = reserved(taken.books).take('wallets');
  const booked = withWallets(tasks, wallets, walletNames, book);
  if (!presets) return booked;
  const bases = named.filter(({ collection }) => collection !== 'label').map(({ name }) => name);
  const names = reserved([...taken.presets, ...bases]);
  const isBook = ({ id }: Exported) => id === null;
  return [
    ...booked.filter(isBook),
    ...withPresets(
      booked.filter((one) => !isBook(one)),
      names,
    ),
  ];
}

function reserved(known: readonly string[]): Names {
  const names = new Names();
  for (const name of known) names.reserve(name);
  return names;
}
