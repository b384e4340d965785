import { describe, expect, it } from 'vitest';
import { Masking, openDoor } from '../../src/core/render/masking/masking.ts';
import fc from '../properties.ts';

const CANARY = 'svc_live_0ca9a21e.canary-S3cret+4f/8b1d';
const SECRET = CANARY.slice(CANARY.indexOf('.') + 1);

function knowing({ token, values = [] }: { token?: string; values?: readonly string[] }): Masking {
  const masking = new Masking();
  if (token !== undefined) masking.learnToken(token);
  masking.learnValues(values);
  return masking;
}

const WAYS: Readonly<Record<string, (text: string) => string>> = {
  plainly: (text) => text,
  'in base64': btoa,
  'in base64 behind one byte': (text) => btoa(`:${text}`),
  'in base64 behind two bytes, and more after it': (text) => btoa(`a:${text}:b`),
  'in base64 without padding': (text) => btoa(`x${text}`).replace(/=+$/, ''),
  'in base64 for URLs': (text) => Buffer.from(text).toString('base64url'),
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in hex in capitals': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'in a URL': encodeURIComponent,
  'in a URL, every character escaped': (text) =>
    Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&'),
  'in JSON, every character escaped': (text) =>
    [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'in a URL in small letters': (text) =>
    encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
};

describe('a token', () => {
  it.each(Object.keys(WAYS))('is hidden %s, whole or its secret part alone', (name) => {
    const masking = knowing({ token: CANARY });
    for (const text of [CANARY, SECRET]) {
      const written = WAYS[name]?.(text) ?? '';
      for (const hidden of [
        masking.said(`no ${written}!`),
        masking.text(`no ${written}!`),
        masking.document({ a: [`no ${written}!`] }).a[0],
        Object.keys(masking.document({ [written]: 1 }))[0],
      ]) {
        // Of base64 a character at either end may be left, which a neighbour has a part in.
        expect(hidden).toMatch(/\[token\]|svc_live_0ca9a21e\.…/);
        for (let at = 0; at + 12 <= written.length; at += 1) {
          const part = written.slice(at, at + 12);
          if (!part.startsWith('svc_live')) expect('svc_live_0ca9a21e.…').not.toBe(part);
          if (!'svc_live_0ca9a21e.…'.includes(part)) expect(hidden).not.toContain(part);
        }
      }
    }
  });

  it('keeps its public part, and a short secret is not hidden within words', () => {
    expect(knowing({ token: CANARY }).said(`a ${CANARY} b svc_live_0ca9a21e`)).toBe(
      'a svc_live_0ca9a21e.… b svc_live_0ca9a21e',
    );
    expect(knowing({ token: 'svc_live_0a1b2c3d.a' }).said('a banana')).toBe('a banana');
    const word = knowing({ token: 'svc_live_0a1b2c3d.production' });
    expect(word.text('environment production, svc_live_0a1b2c3d.production')).toBe(
      'environment production, svc_live_0a1b2c3d.…',
    );
    expect(word.said('a production b')).toBe('a (secret) b');
  });
});

describe('a value of the environment', () => {
  it('that is long and distinctive is hidden in any place', () => {
    const value = 'Quiet "harbour" é\u202e';
    const masking = knowing({ values: [` ${value}`] });
    for (const hidden of [
      masking.said(`x${value}y`),
      masking.text(`x${value}y`),
      masking.text(`x${JSON.stringify(value).slice(1, -1)}y`),
      masking.document([`x${value}y`])[0],
    ])
      expect(hidden).toBe('x(secret)y');
    expect(masking.text('Quiet "harbour" é\\u{202e}')).toBe('(secret)');
  });

  it.each(Object.keys(WAYS))('that is long and distinctive is hidden %s', (name) => {
    const value = 'Sekret-Value+9/zz';
    const written = WAYS[name]?.(value) ?? '';
    const masking = knowing({ values: [value] });
    for (const hidden of [masking.said(`no ${written}!`), masking.text(`no ${written}!`)])
      expect(hidden).toContain('(secret)');
  });

  it('that is short, a number or a word is hidden only if it stands alone in text of others', () => {
    const masking = knowing({ values: ['0.50', '75', 'dawn', 'production', '1', 'true', 'global'] });
    const ours = 'production: 0.5, 75 of 1 true dawn, global';
    expect(masking.text(ours)).toBe(ours);
    expect(masking.document({ text: ours, fields: [{ after: '0.5' }] })).toEqual({
      text: ours,
      fields: [{ after: '0.5' }],
    });
    expect(masking.said(ours)).toBe('(secret): (secret), (secret) of 1 true (secret), global');
    const within = '10.5 0.55 0.50.1 1.75 750 dawns predawn dawn_1 productions';
    expect(masking.said(within)).toBe(within);
    expect(masking.document({ remark: 'at dawn [git:core/dawns]', name: 'dawn' })).toEqual({
      remark: 'at (secret) [git:core/dawns]',
      name: 'dawn',
    });
  });

  it('that is a long number is hidden if it stands alone', () => {
    const masking = knowing({ values: ['7.6543219', '1000000'] });
    expect(masking.text('7.6543219 SOL, 17.6543219, 7.65432191, 1000000')).toBe(
      '(secret) SOL, 17.6543219, 7.65432191, 1000000',
    );
    expect(masking.said('at most 1000000')).toBe('at most (secret)');
  });

  it('leaves a document without it unchanged', () => {
    const document = { a: [{ b: 'c' }, 1, null], d: new Map() };
    expect(knowing({ token: CANARY, values: ['Quiet harbour'] }).document(document)).toBe(document);
  });
});

describe('the stream', () => {
  const through = (masking: Masking, chunks: readonly string[]) => {
    let out = '';
    const door = openDoor(masking, (text) => {
      out += text;
    });
    for (const chunk of chunks) door.write(chunk);
    door.flush();
    return out;
  };
  const split = (text: string, places: readonly number[]) =>
    [0, ...[...places].sort((a, b) => a - b)].map((from, index, all) => text.slice(from, all[index + 1]));

  it('hides what is split over writes, at any position', () => {
    const other = 'svc_live_00000000.another-one';
    const masking = new Masking();
    masking.learnToken(CANARY);
    masking.learnValues(['Quiet harbour', 'Quiet harbour master', '7.6543219']);
    const text = `a ${CANARY} b Quiet harbour master ${btoa(SECRET)} c 7.6543219 ${other}\nend`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (places) => {
        const out = through(masking, split(text, places));
        for (const secret of [SECRET, 'Quiet', 'harbour', 'another', '6543'])
          expect(out).not.toContain(secret);
        expect(out.endsWith('\nend')).toBe(true);
      }),
    );
  });

  it('holds nothing back that is no beginning of a secret', () => {
    const written: string[] = [];
    const door = openDoor(knowing({ values: ['Quiet harbour'] }), (text) => written.push(text));
    door.write('a line\n');
    door.write('Only "yes" is taken for an answer: ');
    door.write('Qui');
    expect(written).toEqual(['a line\n', 'Only "yes" is taken for an answer: ']);
    door.write('z\n');
    expect(written.at(-1)).toBe('Quiz\n');
  });
});
