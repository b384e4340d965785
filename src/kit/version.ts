import { VERSION } from '../core/command/version.ts';
import { DOCUMENT_FORMATS } from '../core/documents/register.ts';
import { API_VERSION } from '../core/model/kind.ts';
import { MARKER_GRAMMAR } from '../core/model/marker.ts';
import { jsonText, resultDocument } from '../core/render/result.ts';

/** The commit that was built, set by the bundler. Null if its files were changed, or nothing says which it is. */
declare const TRADEFORM_COMMIT: string | null;

/** `tradeform --version`; with `-o json`, also what this build is, and what it reads and writes. */
export function versionText(output: string | undefined): string {
  if (output !== 'json') return `${VERSION}\n`;
  return jsonText({
    ...resultDocument('version', 0, []),
    version: VERSION,
    commit: TRADEFORM_COMMIT,
    formats: [API_VERSION, ...DOCUMENT_FORMATS],
    marker: MARKER_GRAMMAR,
  });
}
