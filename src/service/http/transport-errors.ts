import { TransportError } from '../../ports/transport.ts';

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host is unknown',
  EAI_AGAIN: 'the host’s name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed while the request was sent',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connecting took too long',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped part-way',
  UND_ERR_HEADERS_OVERFLOW: 'the answer’s headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the length of the answer differs from its header',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_ABORTED: 'the answer was not complete',
  UND_ERR_DESTROYED: 'the connection was closed',
  UND_ERR_CLOSED: 'the connection was closed',
  UND_ERR_INVALID_ARG: 'the request could not be formed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the TLS certificate’s chain is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the TLS certificate’s issuer is unknown',
};

/** Refused before anything is written to a socket. */
const NEVER_SENT: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG']);

/**
 * The error of one exchange in tradeform's own words. Texts of the HTTP library and the system may contain header
 * values and URLs, so only their codes are used. `unsent` needs certainty: the connection itself failed.
 */
export function transportError(error: unknown, connecting: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  const outcome = connecting || (code !== undefined && NEVER_SENT.has(code)) ? 'unsent' : 'lost';
  return new TransportError(outcome, words(code, connecting));
}

function words(code: string | undefined, connecting: boolean): string {
  const known = code === undefined ? undefined : WORDS[code];
  if (known !== undefined) return known;
  if (code?.startsWith('HPE_') === true) return `the answer is not HTTP (${code})`;
  const suffix = code === undefined ? '' : ` (${code})`;
  return connecting ? `no connection could be made${suffix}` : `the connection failed${suffix}`;
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = error.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}
