import { projectFiles } from '../../cmd/run.ts';
import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

const VARIABLES = ['GITHUB_TOKEN', 'CI_JOB_TOKEN', 'TRADEFORM_TOKEN'];

/** Manifests and the project file take credentials of the environment as values, which the service or a reader would get. */
export const repository: HostileRepository = {
  name: 'credentials-in-manifests',
  attacksWrites: true,
  build({ folder }) {
    const { 'manifests/alpha.yaml': task = '', ...others } = projectFiles();
    honestRepository(folder, {
      ...others,
      ...Object.fromEntries(
        VARIABLES.map((name) => [
          `manifests/${name.toLowerCase()}.yaml`,
          task
            .replace('name: alpha', `name: ${name.toLowerCase().replaceAll('_', '-')}`)
            .replace('remark: Early launches', `remark: \${env.${name}}`),
        ]),
      ),
      'manifests/label.yaml':
        'apiVersion: tradeform/v1\nkind: Label\nmetadata: { name: high-risk }\nspec: { name: "x${env.DESK_SECRET}", sort_order: 1 }\n',
    });
    return {};
  },
};
