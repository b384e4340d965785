import { expect, it } from 'vitest';
import { encodingsOf } from '../../src/core/model/encodings.ts';
import fc from '../properties.ts';

const WAYS: Readonly<Record<string, (whole: string) => string>> = {
  base64: (whole) => Buffer.from(whole).toString('base64'),
  'base64 without padding': (whole) => btoa(String.fromCharCode(...Buffer.from(whole))).replace(/=+$/, ''),
  'base64 for URLs': (whole) => Buffer.from(whole).toString('base64url'),
  hex: (whole) => Buffer.from(whole).toString('hex'),
  'hex in capitals': (whole) => Buffer.from(whole).toString('hex').toUpperCase(),
  JSON: (whole) => JSON.stringify({ whole }),
  'a component of a URL': encodeURIComponent,
  'a URL': encodeURI,
  'a form': (whole) => String(new URLSearchParams({ whole }).get('whole')),
};

it.each(Object.keys(WAYS))('a text is found in %s, whatever surrounds it', (name) => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' });
  const around = fc.string({ maxLength: 5 });
  fc.assert(
    fc.property(text, around, around, (secret, before, after) => {
      const written = WAYS[name]?.(`${before}${secret}${after}`) ?? '';
      expect(encodingsOf(secret).some((one) => written.includes(one))).toBe(true);
    }),
  );
});
