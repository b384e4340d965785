import { projectFiles } from '../../cmd/run.ts';
import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const PRESETS = 1_400;

/** Small causes of much work: a long chain of presets, many unknown fields, long numbers. */
export const repository: HostileRepository = {
  name: 'bombs-in-manifests',
  build({ folder }) {
    const task = projectFiles()['manifests/alpha.yaml'] ?? '';
    const named = (name: string) =>
      task.replace('name: alpha', `name: ${name}`).replace('state: active', 'state: paused');
    const presets = Array.from({ length: PRESETS }, (_, index) => {
      const extended = index === 0 ? '' : `\n  extends: [p${index - 1}]`;
      return `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: p${index} }\nspec:\n  for: [SniperTask]${extended}\n  config: { dex_source: config }\n`;
    });
    const fields = Array.from({ length: 8_000 }, (_, index) => `    field_${index}: ${index}`);
    honestRepository(folder, {
      'manifests/chain.yaml': presets.join('---\n'),
      'manifests/chained.yaml': named('chained').replace('spec:\n', `spec:\n  extends: [p${PRESETS - 1}]\n`),
      'manifests/fields.yaml': named('fields').replace('  config:\n', `  config:\n${fields.join('\n')}\n`),
      'manifests/number.yaml': named('number').replace(
        'buy_amount: "0.5"',
        `buy_amount: "${'9'.repeat(2_000_000)}"`,
      ),
    });
    return {};
  },
};
