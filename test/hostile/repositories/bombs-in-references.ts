import { projectFiles } from '../../cmd/run.ts';
import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const LEVELS = 45;

/** A valid project whose references fan out: two to the next, many times. */
export const repository: HostileRepository = {
  name: 'bombs-in-references',
  build({ folder }) {
    const preset = (name: string, level: number) =>
      `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: ${name}${level} }\nspec:\n  for: sniper\n${
        level === LEVELS ? '' : `  extends: [a${level + 1}, b${level + 1}]\n`
      }  config: { buy_once: true }\n`;
    const presets = Array.from({ length: LEVELS + 1 }, (_, level) => [
      preset('a', level),
      preset('b', level),
    ]);
    honestRepository(folder, {
      'manifests/presets.yaml': presets.flat().join('---\n'),
      'manifests/alpha.yaml': (projectFiles({ buy: '0.6' })['manifests/alpha.yaml'] ?? '').replace(
        'spec:\n',
        'spec:\n  extends: [a0, b0]\n',
      ),
    });
    return {};
  },
};
