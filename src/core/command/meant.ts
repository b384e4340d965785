import { CommandFailure, type Diagnostic, problem } from '../diagnostics/diagnostic.ts';
import { didYouMean, oneOfHint } from '../diagnostics/suggest.ts';
import { bareName, matchesAddress } from '../model/address.ts';
import type { LiveLabel, LiveState } from '../model/resource.ts';
import { nearTask } from '../plan/identity/known-task.ts';

/** Fails (exit 3) with a problem for each word that means nothing: a typing error, never an empty choice. */
export function refuseWords(unknown: readonly string[], say: (word: string) => Diagnostic): void {
  if (unknown.length > 0) throw new CommandFailure(3, unknown.map(say));
}

/** A word that should match something, as `matches` says, with a similar address as a suggestion. */
export function unmatched(word: string, matches: string, addresses: readonly string[]): Diagnostic {
  const hint = 'an address is <collection>/<name>, such as sniper/dawn; a name alone and * also work';
  return problem('target-unknown', `${word} matches ${matches}`, nearTask(word, addresses) ?? hint);
}

/** True if a word names it: by its address or its name alone, with `*` for any text, or by its id. */
export function isNamedBy(word: string, address: string, id: string | null = null): boolean {
  return [address, bareName(address)].some((name) => matchesAddress(word, name)) || word.toLowerCase() === id;
}

/** What the words name; all, without words. Fails (exit 3) for a word that names nothing of what is known. */
export function chooseNamed(
  words: readonly string[],
  known: readonly { readonly address: string; readonly id?: string }[],
  where: string,
): (address: string, id?: string) => boolean {
  refuseWords(
    words.filter((word) => !known.some(({ address, id }) => isNamedBy(word, address, id))),
    (word) =>
      unmatched(
        word,
        `nothing ${where}`,
        known.map(({ address }) => address),
      ),
  );
  return (...one) => words.length === 0 || words.some((word) => isNamedBy(word, ...one));
}

/** The kinds that `--kind` chooses of all these. Fails (exit 3) for another word. */
export function kindsMeant<Kind extends string>(
  words: readonly string[],
  all: readonly { readonly collection: Kind }[],
): readonly Kind[] {
  const kinds = all.map(({ collection }) => collection);
  refuseWords(
    words.filter((word) => !kinds.some((kind) => kind === word)),
    (word) => problem('invalid-option', `--kind ${word}: no such kind`, oneOfHint(kinds, word)),
  );
  return kinds.filter((kind) => words.includes(kind));
}

/** A label in the manifests: its name there, and its name on the service. */
interface ManifestLabel {
  readonly name: string;
  readonly shownName: string;
}

/**
 * The labels on the service that words of the command line mean: by name, by id, or by the name in the manifests, which are read
 * only for another word. Fails (exit 3) for a word that means none. Tasks tell the ids of labels that the token may not read.
 */
export async function labelsMeant(
  words: readonly string[],
  { labels, tasks, visible }: Pick<LiveState, 'labels' | 'tasks'> & Partial<Pick<LiveState, 'visible'>>,
  manifests: () => readonly ManifestLabel[] | Promise<readonly ManifestLabel[]>,
): Promise<readonly Pick<LiveLabel, 'id' | 'name'>[]> {
  const used = tasks.flatMap(({ risk_label_id: id }) => (id === null ? [] : [{ id, name: id }]));
  const known = [...labels, ...used];
  const onService = (word?: string) =>
    known.find(({ id, name }) => name === word || id === word?.toLowerCase());
  const written = words.every(onService) ? [] : await manifests();
  const described = written.filter(({ shownName }) => onService(shownName));
  const inManifests = (word: string) => described.find(({ name }) => name === word);
  const meant = words.map((word) => onService(word) ?? onService(inManifests(word)?.shownName));
  const unknown = words.filter((_word, index) => meant[index] === undefined);
  const names = [...labels, ...described].map(({ name }) => name);
  const list = names.length === 0 ? 'it has no labels' : `its labels are ${[...new Set(names)].join(', ')}`;
  const [none, hint] =
    visible?.has('label') !== false
      ? ['the service has no such label', list]
      : [
          'the token cannot read labels, and no task shows this id',
          'Write the id of a label that a task has.',
        ];
  refuseWords(unknown, (word) =>
    problem('target-unknown', `--label ${word}: ${none}`, didYouMean(word, names) ?? hint),
  );
  return meant.flatMap((label) => label ?? []);
}
