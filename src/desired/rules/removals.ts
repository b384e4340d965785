import { codePointName, firstInvisible } from '../../manifest/invisible.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { addressParts, NAME_PATTERN } from '../../model/address.ts';
import { madeOnce } from '../../model/by-key.ts';
import { isCollection, KINDS, type Kind, kindOf, LIMITS } from '../../model/kind.ts';
import { shownName } from './names.ts';
import { type Rule, where } from './rule.ts';

const FORM =
  'an address is KIND/NAME, such as label/High risk or sniper-template/Base: use the name on the service';
const COLLECTIONS = KINDS.map(({ collection }) => collection);

/** A Removal names each address once, and only addresses that no manifest describes. */
export const removals: Rule = ({ manifests }, report) => {
  const all = manifests.filter(({ kindName }) => kindName === 'Removal');
  const described = all.length === 0 ? new Map() : describedBy(manifests);
  const first = new Map<string, { manifest: Manifest; path: Path }>();
  for (const manifest of all) {
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
      const found = kind && described.get(`${kind.collection}/${name}`);
      if (found !== undefined) report(manifest, path, contradiction(text, kind?.family, found));
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

/** A manifest that needs what must not exist, and how it names it. */
interface Described {
  readonly manifest: Manifest;
  readonly how: string;
}

function contradiction(
  text: string,
  family: Kind['family'] | undefined,
  { manifest, how }: Described,
): Problem {
  return {
    code: 'removal-contradicted',
    message: `${text} should ${family === 'task' ? 'be released' : 'be removed'}, but a manifest ${how}`,
    hint: `${manifest.address ?? 'it'} is at ${where(manifest, ['metadata', 'name'])}; remove one of the two`,
  };
}

/** Addresses and names in the manifests. */
function describedBy(manifests: readonly Manifest[]): ReadonlyMap<string, Described> {
  const found = new Map<string, Described>();
  const add = (manifest: Manifest, name: string | undefined, how: string) => {
    if (manifest.kind !== undefined && name !== undefined)
      madeOnce(found, `${manifest.kind.collection}/${name}`, () => ({ manifest, how }));
  };
  for (const manifest of manifests) {
    add(manifest, manifest.name, 'has this address');
    if (manifest.kind?.family !== 'task') add(manifest, shownName(manifest), 'has this name on the service');
    add(manifest, manifest.text('metadata', 'previous_name'), 'is renamed from it (previous_name)');
  }
  return found;
}
