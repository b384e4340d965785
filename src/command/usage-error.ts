import { CommandFailure } from '../diagnostics/diagnostic.ts';

/** A command line that asks for what does not exist, or not so (exit 3). */
export function usage(message: string, hint: string): CommandFailure {
  return new CommandFailure(3, [{ severity: 'error', code: 'invalid-option', message, hint }]);
}
