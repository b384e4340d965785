import { markdownCode } from './escape.ts';
import type { HeaderFields } from './header.ts';

/** What a document is about, as far as it is known. */
export interface DocumentSubject extends Omit<HeaderFields, 'digest'> {
  readonly service?: {
    readonly base_url?: string;
    /** null: an account without a name. */
    readonly login_username?: string | null;
    /** The account is the one that the project file pins: nobody asked the service yet. */
    readonly pinned?: boolean;
  };
}

/**
 * Whose document it is, for its title: `core`, environment `production`, account `whales` on `api.example.invalid`. A reader
 * must see that a plan is of another account or host than was meant. Empty where nothing is known.
 */
export function subjectText({ project, environment, service = {} }: DocumentSubject): string {
  const { base_url: baseUrl, login_username: account, pinned } = service;
  const host = baseUrl === undefined ? undefined : /^\w+:\/\/([^/]+)/.exec(baseUrl)?.[1];
  const named = account === null ? 'without a name' : markdownCode(account ?? '');
  const who = account === undefined ? [] : [`account ${named}${pinned === true ? ' (as pinned)' : ''}`];
  const where = host === undefined ? '' : ` on ${markdownCode(host)}`;
  const parts = [
    ...(project === null ? [] : [markdownCode(project)]),
    ...(environment === null ? [] : [`environment ${markdownCode(environment)}`]),
    ...who,
  ];
  return parts.length === 0 ? where.trimStart() : `${parts.join(', ')}${where}`;
}
