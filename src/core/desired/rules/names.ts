import { didYouMean } from '../../diagnostics/suggest.ts';
import { codePointName, firstInvisible } from '../../manifest/invisible.ts';
import type { Manifest, Problem } from '../../manifest/manifest.ts';
import { anywhereBelow, type SchemaNode, visitWhere } from '../../manifest/schema.ts';
import { formatPath, type Path } from '../../manifest/spans.ts';
import { addressParts, NAME_PATTERN } from '../../model/address.ts';
import { madeOnce } from '../../model/by-key.ts';
import { isFreeze } from '../../model/freeze.ts';
import { canonicalJson, type Json } from '../../model/json.ts';
import { isCollection, KINDS, type Kind, kindOf, LIMITS } from '../../model/kind.ts';
import { ofFamily, type ReportAt, type Rule, where } from './rule.ts';

/** The name on the service: `spec.name`, else `metadata.name`. It identifies templates and labels. */
export function shownName(manifest: Manifest): string | undefined {
  return manifest.get('spec', 'name') === undefined ? manifest.name : manifest.text('spec', 'name');
}

/**
 * Names on the service are short, and unique among the labels and among the templates of a kind. The interface does not say
 * whether the service counts UTF-16 units or code points. Names must fit by the larger count, like remarks.
 */
export const shownNames: Rule = (input, report) => {
  const first = new Map<string, Manifest>();
  for (const manifest of ofFamily(input, 'template', 'label')) {
    const name = shownName(manifest);
    if (name === undefined) continue;
    const most = manifest.kindName === 'Label' ? LIMITS.labelName : LIMITS.templateName;
    if (name.length > most)
      report(manifest, ['spec', 'name'], {
        code: 'out-of-range',
        message: `spec.name has ${name.length} characters; at most ${most} are allowed`,
        hint: 'characters beyond the first 65,536 of Unicode, such as emoji, count as two',
      });
    const path = manifest.get('spec', 'name') === undefined ? ['metadata', 'name'] : ['spec', 'name'];
    if (manifest.kindName === 'Label' && isFreeze({ name }))
      report(manifest, path, {
        code: 'label-reserved',
        message: `a label with the name ${JSON.stringify(name)} freezes the account`,
        hint: 'choose another name; people and `tradeform pause --all` set the label of a freeze',
      });
    const other = madeOnce(first, `${manifest.kindName} ${name}`, () => manifest);
    // Another rule reports two manifests with one address.
    if (other === manifest || other.address === manifest.address) continue;
    report(manifest, path, {
      code: 'duplicate-name',
      message: `two manifests of kind ${manifest.kindName} have the name ${JSON.stringify(name)} on the service`,
      hint: `the other one is at ${where(other, ['metadata', 'name'])}`,
    });
  }
};

const PATH = ['metadata', 'previous_name'];

/** `previous_name` names what is to be renamed, so nothing may still have that name, and only one manifest may claim it. */
export const previousNames: Rule = ({ manifests }, report) => {
  const holders = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const name = manifest.kind?.family === 'task' ? manifest.name : shownName(manifest);
    if (name !== undefined) holders.set(`${manifest.kindName} ${name}`, manifest);
  }
  const claims = new Map<string, Manifest>();
  for (const manifest of manifests) {
    const previous = manifest.text(...PATH);
    if (previous === undefined) continue;
    const key = `${manifest.kindName} ${previous}`;
    checkOne(manifest, key, holders, claims.get(key), report);
    if (!claims.has(key)) claims.set(key, manifest);
  }
};

/** If the manifest that has the previous name is renamed as well: which of the two renames must be applied first. */
function otherRename(manifest: Manifest, holder: Manifest, holders: ReadonlyMap<string, Manifest>): string {
  if (holder.text(...PATH) === undefined) return '';
  let last: Manifest | undefined = holder;
  for (let step = 0; last !== undefined && last !== manifest && step < holders.size; step += 1)
    last = holders.get(`${last.kindName} ${last.text(...PATH)}`);
  return last === manifest
    ? ', and the names form a ring: apply a rename to a third name first, then the others, one commit each'
    : `, which is renamed too: apply the rename to ${manifest.name} first, then remove this previous_name with the other rename`;
}

function checkOne(
  manifest: Manifest,
  key: string,
  holders: ReadonlyMap<string, Manifest>,
  claim: Manifest | undefined,
  report: ReportAt,
): void {
  const holder = holders.get(key);
  const name = JSON.stringify(manifest.text(...PATH));
  const say = (message: string, hint: string) =>
    report(manifest, PATH, { code: 'previous-name-taken', message, hint });
  if (holder === manifest)
    say(`previous_name ${name} is the current name of the manifest`, 'remove previous_name');
  else if (holder !== undefined)
    say(
      `previous_name ${name} names a manifest that still exists`,
      `it is at ${where(holder, ['metadata', 'name'])}${otherRename(manifest, holder, holders)}`,
    );
  else if (claim !== undefined)
    say(`two manifests have the previous_name ${name}`, `the other one is at ${where(claim, PATH)}`);
}

/** At most 20 labels in an account (interface, "Limits"). */
export const labelCount: Rule = (input, report) => {
  const labels = ofFamily(input, 'label');
  const [excess] = labels.slice(LIMITS.labels);
  if (excess === undefined) return;
  report(excess, ['metadata', 'name'], {
    code: 'too-many-labels',
    message: `${labels.length} labels; an account can have ${LIMITS.labels}`,
    hint: `remove ${labels.length - LIMITS.labels} of them`,
  });
};

/** `spec.label` is the `metadata.name` of a Label. */
export const knownLabel: Rule = (input, report) => {
  // An unreadable file may define the label.
  if (!input.whole) return;
  const labels = ofFamily(input, 'label');
  const names = new Set(labels.map(({ name }) => name).filter((name) => name !== undefined));
  if (names.size < labels.length && labels.some(({ name }) => name === undefined)) return;
  for (const manifest of ofFamily(input, 'task')) {
    const label = manifest.text('spec', 'label');
    if (label === undefined || names.has(label)) continue;
    const shown = labels.find((one) => one.name !== undefined && one.text('spec', 'name') === label);
    const hint =
      names.size === 0 ? 'write a manifest of kind Label' : `the labels are ${[...names].sort().join(', ')}`;
    report(manifest, ['spec', 'label'], {
      code: 'unknown-label',
      message: `no manifest defines the label ${JSON.stringify(label)}`,
      hint:
        shown?.name === undefined
          ? (didYouMean(label, names) ?? hint)
          : `did you mean ${shown.name}? A task refers to a label by its metadata.name`,
    });
  }
};

interface Unique {
  readonly path: Path;
  readonly code: Problem['code'];
  readonly what: string;
  /** A value of the manifest that no other manifest may have. Undefined if the manifest has none that counts. */
  of(manifest: Manifest): string | undefined;
  readonly remedy: string;
}

function unique({ path, code, what, of, remedy }: Unique): Rule {
  return ({ manifests }, report) => {
    const first = new Map<string, Manifest>();
    for (const manifest of manifests) {
      const value = of(manifest);
      const other = value === undefined ? manifest : madeOnce(first, value, () => manifest);
      if (other === manifest) continue;
      const hint = `the other one is at ${where(other, path)}${remedy}`;
      report(manifest, path, { code, message: `two ${what} ${value}`, hint });
    }
  };
}

export const uniqueNames = unique({
  path: ['metadata', 'name'],
  code: 'duplicate-name',
  what: 'manifests have the address',
  of: ({ address }) => address,
  remedy: ': give one of them another metadata.name',
});

/** An id names one resource, so only one manifest may name it. */
export const uniqueIds = unique({
  path: ['metadata', 'id'],
  code: 'duplicate-id',
  what: 'manifests have the id',
  of: (manifest) => manifest.text('metadata', 'id')?.toLowerCase(),
  remedy: '. An id names one task of the service: remove metadata.id from the manifest that was copied',
});

/** One copy-trade task for each target: the service answers `target_already_exists` to a second one. */
export const uniqueTargets = unique({
  path: ['spec', 'target_wallet'],
  code: 'duplicate-target',
  what: 'copy-trade tasks have the target wallet',
  of: (manifest) =>
    manifest.kind?.family === 'task' && manifest.kind.uniqueTarget
      ? manifest.text('spec', 'target_wallet')
      : undefined,
  remedy: ': the service refuses a second one; remove one of them, or give it another wallet',
});

/** Lists that are sets contain nothing twice: DEXes, linked wallets, blacklists, ignored paths. */
export const uniqueItems: Rule = ({ manifests }, report) => {
  for (const manifest of manifests) {
    visitWhere(holdsSet, manifest.value, manifest.schema, (items, schema, path) => {
      if (Array.isArray(items) && isSet(schema)) checkItems(manifest, items, path, report);
    });
  }
};

const isSet = (schema: SchemaNode) => schema['x-set'] === true || schema.uniqueItems === true;
const holdsSet = anywhereBelow(isSet);

function checkItems(manifest: Manifest, items: readonly Json[], path: Path, report: ReportAt): void {
  if (new Set(items).size === items.length && items.every((item) => typeof item !== 'object')) return;
  const first = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const key = canonicalJson(item);
    const earlier = madeOnce(first, key, () => index);
    if (earlier === index) continue;
    report(manifest, [...path, index], {
      code: 'duplicate-item',
      message: `${key} appears twice in ${formatPath(path)}`,
      hint: `remove one of them; the other is item ${earlier + 1}`,
    });
  }
}

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
          hint: `the other one is at ${where(earlier.manifest, earlier.path)}: remove one of them`,
        });
      }
      const found = kind && described.get(`${kind.collection}/${name}`);
      if (found !== undefined) report(manifest, path, contradiction(text, kind?.family, found));
    }
  }
};

/** An entry of a Removal. Without `kind` if it is no address. */
interface RemovalEntry {
  readonly path: Path;
  readonly text: string;
  readonly kind?: Kind;
  readonly name: string;
  readonly problem?: Problem;
}

/** What a Removal names, in order. The shape check reports entries that are no text. */
export function entriesOf(manifest: Manifest): readonly RemovalEntry[] {
  const releases = manifest.get('spec', 'release') === true;
  return (manifest.list('spec', 'resources') ?? []).flatMap((text, index): readonly RemovalEntry[] => {
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
