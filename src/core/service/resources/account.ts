import { type Diagnostic, problem, warning } from '../../diagnostics/diagnostic.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { type Collection, KINDS } from '../../model/kind.ts';
import type { Account, AccountPin } from '../../model/resource.ts';
import type { Api, NoAnswer, Refusal } from '../../ports/api.ts';
import { failureDiagnostic, unreadableDiagnostic } from './failure.ts';

export type AccountResult =
  | { readonly ok: true; readonly account: Account; readonly date: number | undefined }
  /** `refused`: the service refused the request, and a retry will not help. */
  | { readonly ok: false; readonly diagnostic: Diagnostic; readonly refused: boolean };

const DAY = 86_400_000;
const EXPIRY_MARGIN = 7 * DAY;

/** `GET /me`; `date` is the answer's `Date` in milliseconds since the epoch. */
export async function readAccount(api: Pick<Api, 'get'>): Promise<AccountResult> {
  const outcome = await api.get('/me');
  if (outcome.type !== 'ok')
    return {
      ok: false,
      diagnostic: {
        ...failureDiagnostic(outcome, 'reading the account'),
        ...(isElsewhere(outcome) ? { hint: VERSION_SEGMENT } : {}),
      },
      refused: outcome.type === 'error' && outcome.status < 500 && outcome.status !== 429,
    };
  const account = parseAccount(outcome.data ?? {});
  if (typeof account !== 'string') return { ok: true, account, date: outcome.date };
  const diagnostic = unreadableDiagnostic('reading the account', account, outcome.requestId);
  return { ok: false, diagnostic, refused: false };
}

const VERSION_SEGMENT =
  'Something answers there, but not with an account. Check the base URL: it ends in the version segment, such as https://HOST/v1.';

/**
 * True if the answer shows a wrong address: `/me` cannot be missing, so a 404, a web page or a redirect comes from
 * something else.
 */
function isElsewhere(outcome: Refusal | NoAnswer): boolean {
  if (outcome.type === 'error') return outcome.code === 'not_found';
  const { status = 0 } = outcome;
  return status === 200 || status === 404 || (status >= 300 && status < 400);
}

/**
 * The account, or the problem with the answer. Only fields that tradeform uses are checked: a new scope, role or other
 * value of the service must not stop it.
 */
export function parseAccount(data: JsonObject): Account | string {
  const { token_prefix, scopes, quota, expires_at, login_username, family_role } = data;
  if (typeof token_prefix !== 'string') return 'token_prefix is missing';
  if (!Array.isArray(scopes)) return 'scopes are missing';
  if (!isObject(quota)) return 'quota is missing';
  const { max, used, remaining } = quota;
  if (typeof max !== 'number' || typeof used !== 'number') return 'quota.max or quota.used is missing';
  return {
    token_prefix,
    login_username: typeof login_username === 'string' ? login_username : null,
    family_role: typeof family_role === 'string' ? family_role : 'none',
    scopes: scopes.filter((scope) => typeof scope === 'string'),
    expires_at: typeof expires_at === 'string' ? expires_at : null,
    quota: { max, used, remaining: typeof remaining === 'number' ? remaining : Math.max(0, max - used) },
  };
}

export function visibleCollections(account: Account): ReadonlySet<Collection> {
  const held = new Set(account.scopes);
  return new Set(
    KINDS.filter((kind) => kind.scopes.read.some((scope) => held.has(scope))).map((kind) => kind.collection),
  );
}

/**
 * An error for every part of the pin that the credential does not match; none without a pin. `where`: the file that
 * contains the pin.
 */
export function checkPin(
  account: Account,
  pin: AccountPin | undefined,
  where = 'the project file',
): readonly Diagnostic[] {
  return (['login_username', 'token_prefix'] as const).flatMap((field) => {
    const [wanted, found] = [pin?.[field], account[field]];
    if (wanted === undefined || wanted === found) return [];
    const message = `${where} pins ${field} ${wanted}, but the token belongs to ${found ?? 'an account without one'}`;
    const hint = 'Use the token of the pinned account, or correct the pin.';
    return [problem('account-mismatch', message, hint)];
  });
}

/** The same for the pin of the fleet file and the pin of the project. */
export function checkPins(
  account: Account,
  fleet: AccountPin | undefined,
  ...project: [AccountPin | undefined, string?]
): readonly Diagnostic[] {
  return [...checkPin(account, fleet, 'the fleet file'), ...checkPin(account, ...project)];
}

/** A warning when the token expires within 7 days of `now` (ms since the epoch, by the service's clock if known). */
export function checkExpiry(account: Account, now: number): readonly Diagnostic[] {
  if (account.expires_at === null) return [];
  const rest = Date.parse(account.expires_at) - now;
  if (!(rest < EXPIRY_MARGIN)) return [];
  const when =
    rest <= 0
      ? 'has expired'
      : rest < DAY
        ? 'expires within a day'
        : `expires in ${Math.floor(rest / DAY)} days`;
  return [
    warning(
      'token-expiring',
      `the token ${when} (${account.expires_at})`,
      'Create or rotate the token in the provider’s web application.',
    ),
  ];
}
