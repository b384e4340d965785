import type { Io } from '../../command/io.ts';
import type { CommonOptions } from '../../command/options.ts';
import { presentAnswer } from '../../command/output/present.ts';
import { usage } from '../../diagnostics/diagnostic.ts';
import type { Explained } from './pages.ts';

export interface ExplainOptions extends CommonOptions {
  readonly code?: string;
  /** List all codes, one on each line. */
  readonly codes?: boolean;
}

/**
 * `tradeform explain`: a field of a manifest, a diagnostic code, a word, or the list of codes. Reads no project and sends nothing.
 */
export async function runExplain(path: string | undefined, options: ExplainOptions, io: Io): Promise<number> {
  const { document, text } = await explained(path, options);
  if (options.output === 'json' && document === undefined)
    throw usage(
      'a field has no JSON',
      'Leave out -o json, or print the JSON Schema with `tradeform schema`.',
    );
  return presentAnswer({ command: 'explain', ...document }, () => text(io), options, io);
}

async function explained(path: string | undefined, { code, codes }: ExplainOptions): Promise<Explained> {
  const asked = [path, code, codes].filter((one) => one !== undefined).length;
  if (asked !== 1) {
    throw usage(
      asked === 0 ? 'name something to explain' : 'explain takes one name at a time',
      'Write a field such as SniperTask.spec.config, a code or a word; --codes lists the codes.',
    );
  }
  // The texts of the codes and the schemas are loaded on demand.
  if (path !== undefined) return (await import('./word.ts')).explainName(path);
  const { explainCode, listCodes } = await import('./word.ts');
  return code === undefined ? listCodes() : explainCode(code);
}
