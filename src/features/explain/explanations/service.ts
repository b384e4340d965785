import type { Explanation } from './explanation.ts';

/** Talking to the service, and what its account can do. */
export const SERVICE = {
  'service-unreachable': {
    means:
      'The service did not answer, or its answer could not be read: no connection, a gateway’s page, a body that is cut.',
    matters: 'An answer that cannot be read is not an empty one, so nothing is concluded from it.',
    act: 'Check the base URL, the network and proxies; `tradeform doctor` tries each step on its own.',
  },
  'service-error': {
    means: 'The service refused a request; the message has its error code and the request id.',
    matters: 'What was asked for was not done.',
    act: 'Follow the hint. Give the request id to the provider if you ask about it.',
  },
  'scope-missing': {
    means: 'The token lacks a scope that a command or a change needs.',
    matters:
      'A plan needs the read scopes of what the manifests describe; apply needs write and delete scopes too.',
    act: 'Create a token with the scopes that the message names. For plans of pull requests read scopes are enough.',
  },
  'account-mismatch': {
    means: 'The token belongs to another account than the project file pins.',
    matters: 'On another account every task would look new, and a plan would create them all.',
    act: 'Use the token of the pinned account, or correct the pin.',
  },
  'view-incomplete': {
    means:
      'The lists could not be proven complete: they did not agree with the quota, with each other, or something changed while they were read.',
    matters:
      'A task that was missed looks as if it were gone. On such a view creates and deletes are refused.',
    act: 'Run again when nobody else writes, or give the token read scopes for all task kinds.',
  },
  'kind-not-visible': {
    means: 'The token cannot read a kind of resource.',
    matters: 'A kind that cannot be seen is not empty. Where manifests need it, there is no plan.',
    act: 'Add the read scope that the hint names.',
  },
  'token-expiring': {
    means: 'The token expires within a week, or has expired.',
    matters: 'Runs on a schedule end from then on, and drift goes unseen.',
    act: 'Create or rotate the token. Rotation invalidates the present one at once.',
  },
  'clock-skew': {
    means: 'This machine’s clock and the service’s differ by more than is usual.',
    matters: 'Times in plans and reports, and warnings about expiry, are off by as much.',
    act: 'Turn time synchronisation on.',
  },
  'quota-low': {
    means: 'Few or no further tasks can be created on the account.',
    matters: 'Creates that find no room fail; replacing a task then needs to delete first, with a gap.',
    act: 'Delete tasks that are not needed, or ask the provider for more.',
  },
  'echo-differs': {
    means: 'The service stored something else than was sent.',
    matters:
      'The next plan would find a difference again, and pause the task again to change it. So no further config of that kind is written in this run.',
    act: 'Write the fields as the service stores them, and tell the provider if the difference changes what the task does.',
  },
} as const satisfies Record<string, Explanation>;
