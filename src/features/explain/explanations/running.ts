import type { Explanation } from './explanation.ts';

/** The sandbox, and the end of a run. */
export const RUNNING = {
  'seed-invalid': {
    means: 'A seed file of the sandbox does not describe accounts and their resources.',
    matters: 'The sandbox starts with what the seed says, or not at all.',
    act: 'Correct the marked place; every field with its default stands in src/sandbox/seed.ts.',
  },
  'data-file-invalid': {
    means: 'The data file of the sandbox is damaged, or is another kind of file.',
    matters: 'The sandbox does not write over what it cannot read.',
    act: 'Name another file with --data, or remove this one.',
  },
  'port-unavailable': {
    means: 'The sandbox cannot listen on the port.',
    matters: 'Another program holds it, or this user may not.',
    act: 'Name another --port, or none: a free one is found.',
  },
  interrupted: {
    means: 'The run was interrupted by Ctrl-C, SIGTERM or a closed terminal.',
    matters:
      'An apply finishes the tasks in hand first and says what is left. Whatever it left, the next apply goes on from there.',
    act: 'Run the command again.',
  },
  internal: {
    means: 'tradeform did something that it should not: a bug.',
    matters: 'An apply may have ended half-way; the next one finds that out from the service.',
    act: 'Report it with the message and the version, and run the command again.',
  },
} as const satisfies Record<string, Explanation>;
