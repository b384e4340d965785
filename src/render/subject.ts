/** What a document is about, as far as it is known. */
export interface DocumentSubject {
  readonly project: string | null;
  readonly environment: string | null;
  readonly service?: {
    readonly base_url?: string;
    /** null: an account without a name. */
    readonly login_username?: string | null;
    /** The account is the one that the project file pins: nobody asked the service yet. */
    readonly pinned?: boolean;
  };
}

/**
 * Whose document it is, for its title: `core · production · whales on api.example.invalid`. A reader must see that a plan is
 * of another account or host than was meant. `write` makes each name harmless. Empty where nothing is known.
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
