import { projectFiles } from '../../cmd/run.ts';
import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const DEEP = 30;
const LEVELS = 45;

/** A valid project whose references fan out: two to the next, many times, in the schema of a policy and among presets. */
export const repository: HostileRepository = {
  name: 'bombs-in-references',
  build({ folder }) {
    const next = (index: number) => ({ $ref: `#/definitions/d${index + 1}` });
    const definitions = Object.fromEntries(
      Array.from({ length: DEEP }, (_, index) => [`d${index}`, { allOf: [next(index), next(index)] }]),
    );
    const preset = (name: string, level: number) =>
      `apiVersion: tradeform/v1\nkind: Preset\nmetadata: { name: ${name}${level} }\nspec:\n  for: sniper\n${
        level === LEVELS ? '' : `  extends: [a${level + 1}, b${level + 1}]\n`
      }  config: { buy_once: true }\n`;
    const presets = Array.from({ length: LEVELS + 1 }, (_, level) => [
      preset('a', level),
      preset('b', level),
    ]);
    honestRepository(folder, {
      'tradeform.yaml':
        'apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  guardrails:\n    policies:\n      - { name: fan, message: x, file: policies/fan.json }\n',
      'policies/fan.json': JSON.stringify({
        definitions: { ...definitions, [`d${DEEP}`]: { type: 'object' } },
        $ref: '#/definitions/d0',
      }),
      'manifests/presets.yaml': presets.flat().join('---\n'),
      'manifests/alpha.yaml': (projectFiles({ buy: '0.6' })['manifests/alpha.yaml'] ?? '').replace(
        'spec:\n',
        'spec:\n  extends: [a0, b0]\n',
      ),
    });
    return {};
  },
};
