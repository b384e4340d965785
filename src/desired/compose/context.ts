import type { Diagnostic, Location } from '../../diagnostics/diagnostic.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Source } from '../../manifest/source.ts';

/** The surroundings of composition, besides the manifests themselves. */
export interface ComposeInput {
  /** Every readable document, sorted by file and place. */
  readonly documents: readonly Manifest[];
  /** False if a file or document could not be read, so that its definitions are unknown. */
  readonly whole: boolean;
  /** The project file, for variables and patches. Undefined if there is none. */
  readonly project?: Manifest | undefined;
  readonly environment: string | null;
  /** A variable of the process environment. */
  readonly environmentVariable: (name: string) => string | undefined;
  /** Values of the process environment that must not appear in any manifest (`credentialsIn`). */
  readonly credentials: readonly string[];
  /** The text of a table, by its path from the project directory. `from` is the place that names it. */
  readonly table: (
    file: string,
    from: Location,
  ) => { readonly source: Source } | { readonly diagnostic: Diagnostic };
}
