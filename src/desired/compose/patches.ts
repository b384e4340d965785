import { type Diagnostic, warning } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import { addressParts, matchesAddress } from '../../model/address.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { KINDS } from '../../model/kind.ts';

/** A patch of the environment: its value is `{ spec: … }`. */
export interface Patch {
  readonly project: Manifest;
  readonly path: Path;
  readonly target: string;
  readonly value: JsonObject;
}

const PATCHABLE: readonly string[] = [...KINDS.map(({ collection }) => collection), 'preset', 'removal'];
const FORM = 'an address is KIND/NAME, such as sniper/alpha or preset/fees; * stands for any text';

/** The patches of an environment by their target addresses, in order. */
export class Patches {
  readonly #patches: readonly Patch[];
  readonly #used = new Set<Patch>();

  constructor(project: Manifest | undefined, environment: string | null) {
    const at = ['spec', 'environments', environment ?? '', 'patches'];
    const list = environment === null ? [] : (project?.list(...at) ?? []);
    this.#patches = list.flatMap((entry, index) => {
      if (project === undefined || !isObject(entry)) return [];
      const { target, patch } = entry;
      if (typeof target !== 'string' || !isObject(patch)) return [];
      return [{ project, path: [...at, index, 'patch'], target, value: patch }];
    });
  }

  /** Patches for an address. The address of a preset is `preset/NAME`. */
  for(address: string): readonly Patch[] {
    if (this.#patches.length === 0) return [];
    const matching = this.#patches.filter(({ target }) => matchesAddress(target, address));
    for (const patch of matching) this.#used.add(patch);
    return matching;
  }

  /**
   * Call it after everything is composed. A target that can never match is an error: a value that the patch lowers in this
   * environment would stay as high as elsewhere. A target that matches nothing at present gets a warning, unless the manifests
   * are incomplete.
   */
  unused(whole: boolean): readonly Diagnostic[] {
    return this.#patches
      .filter((patch) => !this.#used.has(patch))
      .flatMap(({ project, path, target }) => {
        const { collection } = addressParts(target);
        const possible = PATCHABLE.some((one) => matchesAddress(collection, one));
        if (possible && !whole) return [];
        const at = [...path.slice(0, -1), 'target'];
        const code = 'patch-unused';
        const message = `the patch for ${target} matches no manifest`;
        if (possible) return [project.diagnostic(at, warning(code, message, FORM))];
        return [project.diagnostic(at, { code, message, hint: didYouMean(collection, PATCHABLE) ?? FORM })];
      });
  }
}
