import { createHash } from 'node:crypto';
import type { FindingsDocument } from './finding.ts';
import { someplace } from './place.ts';

/**
 * One unique fingerprint for each finding, in order. It stays the same as long as rule, file, address and message do, so that a
 * forge recognizes a finding when lines move. Findings that are equal in all of these are numbered.
 */
export function fingerprints(document: Pick<FindingsDocument, 'findings' | 'root'>): readonly string[] {
  const seen = new Map<string, number>();
  return document.findings.map((finding) => {
    const { rule, address = '', message, fingerprint = message } = finding;
    const what = JSON.stringify([rule, someplace(finding, document).file, address, fingerprint]);
    const before = seen.get(what) ?? 0;
    seen.set(what, before + 1);
    return createHash('sha256')
      .update(JSON.stringify([what, before]))
      .digest('hex')
      .slice(0, 40);
  });
}
