import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** Aliases that multiply, deep nesting, tags of other languages, keys that JavaScript knows. */
export const repository: HostileRepository = {
  name: 'bombs-in-yaml',
  build({ folder, outside }) {
    const aliases = Array.from({ length: 9 }, (_, index) => {
      const before = index === 0 ? 'x' : `*a${index - 1}`;
      return `a${index}: &a${index} [${Array(9).fill(before).join(', ')}]`;
    });
    honestRepository(folder, {
      'manifests/deep.yaml': `kind: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`,
      'manifests/deep-json.yaml': '{"a":'.repeat(20_000),
      'manifests/aliases.yaml': `${aliases.join('\n')}\nkind: *a8\n`,
      'manifests/tag.yaml': `kind: !!js/function "() => require('fs').writeFileSync('${outside}/ran', '')"\n`,
      'manifests/keys.yaml':
        'apiVersion: tradeform/v1\nkind: Label\n__proto__: { polluted: true }\nmetadata: { name: a, __proto__: { name: b } }\nspec: { constructor: { prototype: { name: c } } }\n',
      'manifests/number.yaml': `apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: n }\nspec: { name: N, sort_order: 1e${'9'.repeat(400)} }\n`,
    });
    return {};
  },
};
