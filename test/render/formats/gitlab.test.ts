import { describe, expect, it } from 'vitest';
import type { FindingsDocument } from '../../../src/core/render/finding.ts';
import { gitlabText } from '../../../src/kit/formats/gitlab.ts';
import fc from '../../properties.ts';
import { documentOf, errorAt, hostileDocument } from './hostile.ts';
import { gitlabProblem } from './validators.ts';

interface Entry {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

function entries(document: FindingsDocument): readonly Entry[] {
  const report = JSON.parse(gitlabText(document)) as readonly Entry[];
  expect(gitlabProblem(report)).toBe('');
  return report;
}

const marks = (document: FindingsDocument) => entries(document).map(({ fingerprint }) => fingerprint);

describe('the checks', () => {
  it('refuse what is no report', () => {
    const [entry] = entries(documentOf([errorAt('a.yaml', 1)]));
    expect(gitlabProblem([entry])).toBe('');
    expect(gitlabProblem([entry, entry])).not.toBe('');
    expect(gitlabProblem([{ ...entry, severity: 3 }])).not.toBe('');
    expect(gitlabProblem({})).not.toBe('');
  });
});

describe('a code quality report', () => {
  it('has description, rule, severity and the place from the root of the repository', () => {
    const root = { folder: 'desk', projectFile: 'tradeform.yaml' };
    const bare = { rule: 'token-missing', level: 'note', message: 'no token' } as const;
    expect(entries(documentOf([errorAt('m/a.yaml', 7, { hint: 'Write active.' }), bare], { root }))).toEqual([
      {
        description: 'spec.state: "on" is not allowed; Write active.',
        check_name: 'invalid-value',
        fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
        severity: 'major',
        location: { path: 'desk/m/a.yaml', lines: { begin: 7 } },
      },
      {
        description: 'no token',
        check_name: 'token-missing',
        fingerprint: expect.stringMatching(/^[0-9a-f]{40}$/),
        severity: 'info',
        location: { path: 'desk/tradeform.yaml', lines: { begin: 1 } },
      },
    ]);
  });

  it('knows a finding again when lines move, and distinguishes similar findings', () => {
    const both = documentOf([errorAt('a.yaml', 3), errorAt('a.yaml', 9)]);
    const moved = documentOf([errorAt('a.yaml', 13), errorAt('a.yaml', 19)]);
    expect(marks(moved)).toEqual(marks(both));
    expect(new Set(marks(both)).size).toBe(2);
    const others = [
      errorAt('b.yaml', 3),
      errorAt('a.yaml', 3, { rule: 'wrong-type' }),
      errorAt('a.yaml', 3, { address: 'sniper/a' }),
      errorAt('a.yaml', 3, { message: 'spec.state: "off" is not allowed' }),
    ].map((finding) => marks(documentOf([finding]))[0]);
    expect(new Set([marks(both)[0], ...others]).size).toBe(5);
  });

  it('knows a finding by its own fingerprint if the message changes each time', () => {
    const failed = (request: string) =>
      documentOf([errorAt('a.yaml', 1, { message: `failed (request ${request})`, fingerprint: 'failed' })]);
    expect(marks(failed('req_2'))).toEqual(marks(failed('req_1')));
  });

  it('is valid whatever the texts are, with no fingerprint twice', () => {
    fc.assert(
      fc.property(hostileDocument, (document) => {
        expect(entries(document)).toHaveLength(document.findings.length);
      }),
    );
  });
});
