import { generateKeyPairSync, sign } from 'node:crypto';

/** Key and certificate in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_WITH_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
/** That of an authority, which any certificate here may be. */
const AUTHORITY = sequence(Buffer.from('0603551d130101ff040530030101ff', 'hex'));
const YEAR = 365 * 24 * 3_600_000;

/** A certificate that signs itself, for one IPv4 address; made here, so that no private key lies in the repository. */
export function selfSigned(ip: string, expires = Date.now() + YEAR): Certificate {
  return certificateFor(ip, 'tradeform test', expires);
}

/** One that an authority between it and a root signed, with that authority's, and without the root's. */
export function issued(ip: string): Certificate {
  const expires = Date.now() + YEAR;
  const root = { ...certificateFor(ip, 'root', expires), name: 'root' };
  const middle = { ...certificateFor(ip, 'middle', expires, root), name: 'middle' };
  const { key, cert } = certificateFor(ip, 'leaf', expires, middle);
  return { key, cert: cert + middle.cert };
}

function certificateFor(
  ip: string,
  called: string,
  expires: number,
  issuer?: Certificate & { readonly name: string },
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const nameOf = (text: string) => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
  const address = der(0x87, Buffer.from(ip.split('.').map(Number)));
  const extensions = der(0xa3, sequence(AUTHORITY, sequence(SUBJECT_ALT_NAME, der(0x04, sequence(address)))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? called),
    sequence(time(expires - 2 * YEAR), time(expires)),
    nameOf(called),
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, issuer?.key ?? privateKey)]);
  const whole = sequence(body, ECDSA_WITH_SHA256, der(0x03, signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

function time(at: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}
