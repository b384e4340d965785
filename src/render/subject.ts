/** The known facts about the subject of a document. */
export interface DocumentSubject {
  readonly project: string | null;
  readonly environment: string | null;
  readonly service?: {
    readonly base_url?: string;
    /** null: an account without a name. */
    readonly login_username?: string | null;
    /** The account is the one that the project file pins. The service was not asked yet. */
    readonly pinned?: boolean;
  };
}

/**
 * The subject of a document, for its title: `core · production · whales on api.example.invalid`. A reader must notice a plan
 * for the wrong account or host. `write` escapes each name. Empty if nothing is known.
 */
export function subjectText(
  { project, environment, service = {} }: DocumentSubject,
  write: (text: string) => string,
): string {
  const { base_url: baseUrl, login_username: account, pinned } = service;
  const host = baseUrl === undefined ? undefined : /^\w+:\/\/([^/]+)/.exec(baseUrl)?.[1];
  const names = [
    ...[project, environment].flatMap((name) => (name === null ? [] : [write(name)])),
    ...(account === undefined ? [] : [account === null ? 'account without a name' : write(account)]),
  ].join(' · ');
  const where = host === undefined ? '' : `on ${write(host)}`;
  const pin = account !== undefined && pinned === true ? '(as pinned)' : '';
  return [names, pin, where].filter((part) => part !== '').join(' ');
}
