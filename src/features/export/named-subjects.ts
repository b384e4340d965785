import type { DesiredLabel, DesiredState, DesiredTemplate } from '../../desired/state.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { LiveLabel, LiveState, LiveTemplate } from '../../model/resource.ts';
import { Names, slug } from './manifests/names.ts';
import type { NamedSubject } from './selection.ts';

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
