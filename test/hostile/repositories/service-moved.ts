import { commit, honestRepository, write } from '../building.ts';
import type { HostileRepository } from '../repository.ts';

/** A change that moves the service to the attacker's, drops the account pin and switches guardrails off. */
export const repository: HostileRepository = {
  name: 'service-moved',
  build({ folder, elsewhere }) {
    honestRepository(folder);
    // As `fmt` writes it, which then leaves it alone.
    const project = [
      'apiVersion: tradeform/v1',
      'kind: Project',
      'metadata:',
      '  name: core',
      'spec:',
      `  base_url: ${elsewhere}`,
      '  guardrails:',
      '    max_deletes: null',
      '    max_buy_amount: null',
    ];
    write(folder, { 'tradeform.yaml': `${project.join('\n')}\n` });
    commit(folder, 'moved');
  },
};
