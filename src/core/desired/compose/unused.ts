import { isOneSlip } from '../../diagnostics/suggest.ts';
import { type Manifest, textsIn } from '../../manifest/manifest.ts';
import type { Path } from '../../manifest/spans.ts';
import { isObject } from '../../model/json.ts';

/** A name that is defined and that nothing uses. */
export interface Unused {
  readonly code: 'variable-unused' | 'preset-unused' | 'wallet-unused';
  readonly manifest: Manifest;
  readonly path: Path;
  readonly name: string;
  /** For a variable of an environment: a name that is used, one typing error away. */
  readonly near?: string | undefined;
}

/** What the manifests use in this environment. Of wallets, names and addresses. */
export class Used {
  readonly variables = new Set<string>();
  readonly presets = new Set<string>();
  readonly wallets = new Set<unknown>();

  /** What they do not use here, and nothing names in a rule or in another environment. Templates are of use by themselves. */
  unused(documents: readonly Manifest[]): readonly Unused[] {
    const candidates = documents.flatMap((manifest) => this.#candidatesIn(manifest));
    if (candidates.length === 0) return [];
    const texts = documents.flatMap(({ value }) => textsIn(value.spec ?? null));
    const named = new Set(texts);
    return candidates.filter(({ code, name }) =>
      code === 'variable-unused' ? !texts.some((text) => text.includes(`\${var.${name}}`)) : !named.has(name),
    );
  }

  #candidatesIn(manifest: Manifest): readonly Unused[] {
    const { kindName, name = '' } = manifest;
    const namesAt = (path: Path) => Object.entries(manifest.object(...path) ?? {});
    if (kindName === 'Preset' && !this.presets.has(name))
      return [{ code: 'preset-unused', manifest, path: ['metadata', 'name'], name }];
    if (kindName === 'WalletBook')
      return namesAt(['spec', 'wallets'])
        .filter(
          ([wallet, value]) =>
            ![wallet, isObject(value) ? value.address : value].some((each) => this.wallets.has(each)),
        )
        .map(([wallet]) => ({
          code: 'wallet-unused',
          manifest,
          path: ['spec', 'wallets', wallet],
          name: wallet,
        }));
    if (kindName !== 'Project') return [];
    const own = namesAt(['spec', 'environments']).map(([each]) => [
      'spec',
      'environments',
      each,
      'variables',
    ]);
    return [['spec', 'variables'], ...own].flatMap((path) =>
      namesAt(path)
        .filter(([variable]) => !this.variables.has(variable))
        .map(([variable]) => ({
          ...({ code: 'variable-unused', manifest, path: [...path, variable], name: variable } as const),
          near: path.length === 2 ? undefined : [...this.variables].find((used) => isOneSlip(variable, used)),
        })),
    );
  }
}
