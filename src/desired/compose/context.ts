import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Source } from '../../manifest/source.ts';

/** What manifests are composed with, beside each other. */
export interface ComposeInput {
  /** Every document that could be read, in order of file and place. */
  readonly documents: readonly Manifest[];
  /** False where a file or document could not be read: what it defines is not known. */
  readonly whole: boolean;
  /** The project file, for variables and patches; undefined where there are none. */
  readonly project?: Manifest | undefined;
  readonly environment: string | null;
  /** A variable of the process environment. */
  readonly environmentVariable: (name: string) => string | undefined;
  /** Values of the process environment that may stand in no manifest (`credentialsIn`). */
  readonly credentials: readonly string[];
  /** The text of a table, by its path from the project directory; `from` is where it is asked for. */
  readonly table: (
    file: string,
    from: Location,
  ) => { readonly source: Source } | { readonly diagnostic: Diagnostic };
}
