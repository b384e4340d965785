import { CommandFailure, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { renderDiagnostics } from '../render/diagnostics.ts';
import { painter } from '../render/style.ts';
import type { Io } from './io.ts';

/** Diagnostics on stderr, with the lines of the files that they point into where those are at hand. */
export function showDiagnostics(
  diagnostics: readonly Diagnostic[],
  io: Pick<Io, 'stderr' | 'columns' | 'color'>,
  sources: ReadonlyMap<string, string> = new Map(),
): void {
  io.stderr(renderDiagnostics(diagnostics, { sources, paint: painter(io.color.stderr), width: io.columns }));
}

/** Why a plan must not be carried out: the errors among its diagnostics. `sources` are the files that these point into. */
export function refusalOf(plan: Plan, sources?: ReadonlyMap<string, string>): CommandFailure {
  // The codes of a plan's diagnostics come from the closed set; its schema only says that they are texts.
  const errors = plan.diagnostics.filter(({ severity }) => severity === 'error') as Diagnostic[];
  return new CommandFailure(4, errors, sources);
}
