import { resolve } from 'node:path';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { JsonObject } from '../../model/json.ts';
import { beginningOf } from '../../project/beginning.ts';
import { replaceFile } from '../../project/replace-file.ts';
import { type MetricsRun, metricsText } from '../../render/metrics.ts';
import type { Io } from '../io.ts';
import { Tally } from '../tally.ts';
import { unwritten } from '../unwritten.ts';

/** Far more than tradeform writes. */
const MAX_BYTES = 1024 * 1024;

/**
 * Writes the metrics of a run, completely or not at all. A failure becomes a diagnostic. `document` is the document of the
 * command.
 */
export async function writeMetrics(
  file: string,
  document: JsonObject,
  run: Pick<MetricsRun, 'command' | 'exitCode' | 'labels'>,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const path = resolve(io.cwd, file);
  const { begun, requests, tokenExpires } = io.tally ?? new Tally();
  const now = Date.now();
  const facts = { ...run, ended: now / 1_000, duration: (now - begun) / 1_000, requests, tokenExpires };
  try {
    const previous = Buffer.from(await beginningOf(path, MAX_BYTES), 'latin1').toString();
    const text = metricsText(document, facts, previous);
    // The collector runs as another user.
    await replaceFile(path, text, { mode: 0o644 });
    return [];
  } catch (error) {
    return [
      unwritten(`the metrics could not be written to ${file}`, error, 'Use another file with --metrics.'),
    ];
  }
}
