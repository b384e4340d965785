import type { CommanderError } from 'commander';
import type { Diagnostic } from '../src/diagnostics/diagnostic.ts';

const SUGGESTION = /\s*\(Did you mean (.+?)\?\)\s*$/s;

/** The names of these commands in similar tools. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  check: 'validate',
  lint: 'validate',
  compile: 'render',
  template: 'render',
  diff: 'plan',
  preview: 'plan',
  refresh: 'plan',
  deploy: 'apply',
  sync: 'apply',
  up: 'apply',
  format: 'fmt',
  stop: 'pause',
  halt: 'pause',
  off: 'pause',
  kill: 'pause',
  suspend: 'pause',
  disable: 'pause',
  freeze: 'pause',
  start: 'resume',
  on: 'resume',
  unpause: 'resume',
  continue: 'resume',
  restart: 'resume',
  enable: 'resume',
  list: 'status',
  ls: 'status',
  ps: 'status',
  show: 'status',
  version: '--version',
};

/** A usage error of the argument parser as a diagnostic with a hint. */
export function usageDiagnostic(error: CommanderError): Diagnostic {
  // The parser's sentences start with `error: ` and may end with a suggestion on its own line.
  const text = error.message.replace(/^error: /, '');
  const unknown = /^unknown command '([^']*)'/.exec(text)?.[1] ?? '';
  const suggestion =
    (Object.hasOwn(ELSEWHERE, unknown) ? `tradeform ${ELSEWHERE[unknown]}` : undefined) ??
    SUGGESTION.exec(text)?.[1];
  const message = text.replace(SUGGESTION, '').trim();
  return {
    severity: 'error',
    code: 'invalid-option',
    message: error.code === 'commander.help' ? 'no command was given' : message.replace(/\.$/, ''),
    hint:
      suggestion === undefined
        ? 'Run `tradeform --help`, or `tradeform COMMAND --help`.'
        : `Did you mean ${suggestion}?`,
  };
}
