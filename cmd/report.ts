import { showDiagnostics } from '../src/commands/show-diagnostics.ts';
import type { Diagnostic } from '../src/diagnostics/diagnostic.ts';
import { jsonText, resultDocument } from '../src/render/result.ts';
import type { Terminal } from './terminal.ts';

const COMMANDS: ReadonlySet<string> = new Set([
  'validate',
  'render',
  'plan',
  'apply',
  'doctor',
  'explain',
  'sandbox',
]);

export interface Ending {
  readonly exitCode: number;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of the files that the diagnostics point into. */
  readonly sources: ReadonlyMap<string, string>;
}

/** Says why a command ended: for people on stderr or, where JSON was asked for, as the one document on stdout. */
export function report(
  terminal: Pick<Terminal, 'io' | 'printed'>,
  args: readonly string[],
  ending: Ending,
): void {
  const { exitCode, diagnostics, sources } = ending;
  if (wantsJson(args) && !terminal.printed()) {
    const command = args.find((arg) => COMMANDS.has(arg)) ?? 'tradeform';
    terminal.io.stdout(jsonText(resultDocument(command, exitCode, diagnostics)));
  } else {
    showDiagnostics(diagnostics, terminal.io, sources);
  }
}

/** Read from the raw arguments: a command line that does not parse may still ask for JSON. */
export function wantsJson(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    if (arg === '-o' || arg === '--output') return args[index + 1] === 'json';
    return arg === '-ojson' || arg === '--output=json';
  });
}
