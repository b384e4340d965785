import { type FindingsDocument, fingerprints, saidIn, someplace } from '../../core/render/finding.ts';
import { jsonText } from '../../core/render/result.ts';
import { visible } from '../../core/render/untrusted.ts';

const SEVERITIES = { error: 'major', warning: 'minor', note: 'info' } as const;

/** A code quality report of GitLab: a list with paths relative to the repository. */
export function gitlabText(document: FindingsDocument): string {
  const marks = fingerprints(document);
  return jsonText(
    document.findings.map((finding, index) => {
      const { rule, level } = finding;
      const { file, line } = someplace(finding, document);
      return {
        description: saidIn(finding).map(visible).join('; '),
        check_name: rule,
        fingerprint: marks[index],
        severity: SEVERITIES[level],
        location: { path: visible(file), lines: { begin: line } },
      };
    }),
  );
}
