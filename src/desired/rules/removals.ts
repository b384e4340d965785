import { codePointName, firstInvisible } from '../../manifest/invisible.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { addressParts, NAME_PATTERN } from '../../model/address.ts';
import { isCollection, KINDS, type Kind, kindOf, LIMITS } from '../../model/kind.ts';
import { shownName } from './names.ts';
import { type Rule, where } from './rule.ts';

const FORM =
  'an address is KIND/NAME, such as label/High risk or sniper-template/Base: use the name on the service';
const COLLECTIONS = KINDS.map(({ collection }) => collection);

/** A Removal names each address once, and only addresses that no manifest describes. */
export const removals: Rule = ({ manifests }, report) => {
  const described = new Described(manifests);
  const first = new Map<string, { manifest: Manifest; path: Path }>();
  for (const manifest of manifests) {
    if (manifest.kindName !== 'Removal') continue;
    for (const { path, kind, name, text, problem } of entriesOf(manifest)) {
      if (problem !== undefined) report(manifest, path, problem);
      const earlier = first.get(text);
      if (earlier === undefined) first.set(text, { manifest, path });
      else {
        report(manifest, path, {
          code: 'duplicate-item',
          message: `${text} appears twice in Removals`,
          hint: `the other one is at ${where(earlier.manifest, earlier.path)}`,
        });
      }
      const contradiction = kind === undefined ? undefined : described.contradiction(text, kind, name);
      if (contradiction !== undefined) report(manifest, path, contradiction);
    }
  }
};

/** An entry of a Removal. Without `kind` if it is no address. */
interface Entry {
  readonly path: Path;
  readonly text: string;
  readonly kind?: Kind;
  readonly name: string;
  readonly problem?: Problem;
}

/** What a Removal names, in order. The shape check reports entries that are no text. */
export function entriesOf(manifest: Manifest): readonly Entry[] {
  const releases = manifest.get('spec', 'release') === true;
  return (manifest.list('spec', 'resources') ?? []).flatMap((text, index): readonly Entry[] => {
    if (typeof text !== 'string' || text === '') return [];
    const path = ['spec', 'resources', index];
    const { collection, name } = addressParts(text);
    if (name === undefined || !isCollection(collection)) {
      const near = name === undefined ? undefined : didYouMean(collection, COLLECTIONS);
      const hint = near ?? `${FORM}; kinds are ${COLLECTIONS.join(', ')}`;
      const message =
        name === undefined
          ? `${JSON.stringify(text)} is not an address`
          : `${JSON.stringify(collection)} is not a kind of resource`;
      return [{ path, text, name: name ?? '', problem: { code: 'invalid-value', message, hint } }];
    }
    const kind = kindOf(collection);
    const problem = nameProblem(kind, name) ?? (kind.family === 'task' && !releases ? TASK : undefined);
    return [{ path, text, kind, name, ...(problem === undefined ? {} : { problem }) }];
  });
}

const TASK: Problem = {
  code: 'removal-of-task',
  message: 'a Removal without release: true names a task',
  hint: 'to delete the task, remove its manifest (prune.tasks); to keep it without its marker, set spec.release: true',
};

function nameProblem({ family }: Kind, name: string): Problem | undefined {
  const wrong = (message: string, hint: string): Problem => ({ code: 'invalid-name', message, hint });
  const shown = JSON.stringify(name);
  if (family === 'task') {
    return NAME_PATTERN.test(name)
      ? undefined
      : wrong(`${shown} is not 1 to 24 characters of a-z, 0-9 and -`, 'write metadata.name of the task');
  }
  const most = family === 'label' ? LIMITS.labelName : LIMITS.templateName;
  if (name.trim() === '') return wrong('there is no name after the slash', FORM);
  if (name !== name.trim())
    return wrong(
      `${shown} starts with a space`,
      'write the name directly after the slash: the service trims it',
    );
  const invisible = firstInvisible(name);
  if (invisible !== undefined) {
    const character = codePointName(invisible.character);
    return wrong(`${shown} contains the invisible character ${character}`, 'remove it');
  }
  if (name.length <= most) return undefined;
  return wrong(
    `${shown} has ${name.length} characters; the service allows ${most}`,
    'copy the name from the service',
  );
}

/** Addresses and names in the manifests. */
class Described {
  readonly #manifests: readonly Manifest[];
  #names: ReadonlyMap<string, { manifest: Manifest; how: keyof typeof HOW }> | undefined;

  constructor(manifests: readonly Manifest[]) {
    this.#manifests = manifests;
  }

  /** Undefined if no manifest needs what must not exist. */
  contradiction(text: string, { family, collection }: Kind, name: string): Problem | undefined {
    const found = this.#all().get(`${collection}/${name}`);
    if (found === undefined) return undefined;
    const { manifest, how } = found;
    const place = where(manifest, ['metadata', 'name']);
    return {
      code: 'removal-contradicted',
      message: `${text} should ${family === 'task' ? 'be released' : 'be removed'}, but ${HOW[how]}`,
      hint: `${manifest.address ?? 'it'} is at ${place}; remove one of the two`,
    };
  }

  #all(): ReadonlyMap<string, { manifest: Manifest; how: keyof typeof HOW }> {
    if (this.#names !== undefined) return this.#names;
    const names = new Map<string, { manifest: Manifest; how: keyof typeof HOW }>();
    const add = (manifest: Manifest, name: string | undefined, how: keyof typeof HOW) => {
      const key = `${manifest.kind?.collection ?? ''}/${name ?? ''}`;
      if (manifest.kind !== undefined && name !== undefined && !names.has(key))
        names.set(key, { manifest, how });
    };
    for (const manifest of this.#manifests) {
      add(manifest, manifest.name, 'address');
      if (manifest.kind?.family !== 'task') add(manifest, shownName(manifest), 'name');
      add(manifest, manifest.text('metadata', 'previous_name'), 'former');
    }
    this.#names = names;
    return names;
  }
}

const HOW = {
  address: 'a manifest has this address',
  name: 'a manifest has this name on the service',
  former: 'a manifest is renamed from it (previous_name)',
} as const;
