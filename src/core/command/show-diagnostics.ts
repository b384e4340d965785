import { CommandFailure, type Diagnostic, type Texts } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { renderDiagnostics } from '../render/diagnostics.ts';
import { painter } from '../render/layout.ts';
import type { Io } from './io.ts';
import { shown } from './masking.ts';

/** Diagnostics on stderr, with the source lines that they point to if the texts are available. */
export function showDiagnostics(
  diagnostics: readonly Diagnostic[],
  io: Pick<Io, 'stderr' | 'columns' | 'color' | 'masking'>,
  sources: Texts = new Map(),
): void {
  io.stderr(diagnosticsText(diagnostics, io, sources, { columns: io.columns, color: io.color.stderr }));
}

/** The same diagnostics as text, for a given width and colour setting. */
export function diagnosticsText(
  diagnostics: readonly Diagnostic[],
  io: Pick<Io, 'masking'>,
  sources: Texts,
  { columns, color }: { readonly columns: number; readonly color: boolean },
): string {
  return renderDiagnostics(shown(diagnostics, io), {
    sources,
    paint: painter(color),
    width: columns,
  });
}

/**
 * The reason to refuse a plan: the errors among its diagnostics, those of this change first. `sources` are the files that the
 * diagnostics point into.
 */
export function refusalOf(plan: Plan, sources?: Texts): CommandFailure {
  const errors = plan.diagnostics.filter(({ severity }) => severity === 'error');
  const told = [
    ...errors.filter(({ provenance }) => provenance === undefined),
    ...errors.flatMap(({ provenance, message, ...rest }) =>
      provenance === undefined
        ? []
        : [{ ...rest, message: `${message} The base has the same problem, and is refused, too.` }],
    ),
  ];
  // The codes in a plan are from the closed set, although the plan schema only calls them strings.
  return new CommandFailure(4, told as Diagnostic[], sources);
}
