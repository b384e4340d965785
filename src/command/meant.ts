import { CommandFailure, problem } from '../diagnostics/diagnostic.ts';
import { didYouMean } from '../manifest/suggest.ts';
import type { LiveLabel, LiveState } from '../model/resource.ts';

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
  { labels, tasks }: Pick<LiveState, 'labels' | 'tasks'>,
  manifests: () => readonly ManifestLabel[] | Promise<readonly ManifestLabel[]>,
): Promise<readonly Pick<LiveLabel, 'id' | 'name'>[]> {
  const used = tasks.flatMap(({ risk_label_id: id }) => (id === null ? [] : [{ id, name: id }]));
  const known = [...labels, ...used];
  const onService = (word: string) => known.find(({ id, name }) => name === word || id === word);
  const described = words.every(onService) ? [] : await manifests();
  const inManifests = (word: string) =>
    known.find((label) => described.some(({ name, shownName }) => name === word && shownName === label.name));
  const meant = words.map((word) => onService(word) ?? inManifests(word));
  const unknown = words.filter((_word, index) => meant[index] === undefined);
  const names = [...labels, ...described].map(({ name }) => name);
  const list =
    labels.length === 0 ? 'it has no labels' : `its labels are ${labels.map(({ name }) => name).join(', ')}`;
  const problems = unknown.map((word) =>
    problem(
      'target-unknown',
      `--label ${word}: the service has no such label`,
      didYouMean(word, names) ?? list,
    ),
  );
  if (problems.length > 0) throw new CommandFailure(3, problems);
  return meant.flatMap((label) => label ?? []);
}
