import { projectFiles } from '../../cmd/run.ts';
import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const STARS = `${'*a'.repeat(25)}*`;

/** Valid manifests, and rules that take for ever to look at them: patterns, and globs with many stars. */
export const repository: HostileRepository = {
  name: 'bombs-in-rules',
  build({ folder }) {
    const note = 'a'.repeat(34);
    honestRepository(folder, {
      'tradeform.yaml': `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec:\n  manifests: ["manifests/**/*.yaml", "manifests/${STARS}.yaml"]\n  guardrails:\n    protect: ["sniper/${STARS}b"]\n    policies:\n      - { name: stars, message: x, file: policies/stars.json }\n`,
      'policies/stars.json': JSON.stringify({
        properties: {
          spec: {
            properties: {
              remark: { allOf: Array.from({ length: 3_000 }, (_, i) => ({ wildcard: `${STARS}${i}` })) },
            },
          },
        },
      }),
      'manifests/alpha.yaml': (projectFiles({ buy: '0.6' })['manifests/alpha.yaml'] ?? '').replace(
        'Early launches',
        note,
      ),
      [`manifests/${'a'.repeat(60)}.yaml`]: (projectFiles()['manifests/label.yaml'] ?? '')
        .replace('high-risk', 'other')
        .replace('High risk', 'Other'),
    });
    return {};
  },
};
