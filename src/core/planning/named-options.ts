import { chosenEnvironment } from '../command/options.ts';
import { CommandFailure, problem } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../model/generated/plan.ts';
import { type PlanningOptions, SELECTION, type SelectionOptions } from './planning.ts';

/** An override is none of them: the file approves changes, and whoever edits it could let others through. */
type NamedOptions = Omit<SelectionOptions, 'override'> & Pick<PlanningOptions, 'environment'>;

/**
 * The options of a command, with those that a saved plan was made with. Fails (exit 3) for each that is given beside the file and
 * says something else.
 */
export function withNamed<Options extends PlanningOptions>(
  options: Options,
  { environment, selection, only, base, options: besides = {} }: Plan,
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const named: NamedOptions = {
    environment: environment ?? undefined,
    target: selection?.targets,
    exclude: selection?.excludes,
    resumeStopped: besides.resume_stopped,
    allowEmpty: besides.allow_empty,
    takeOver: besides.take_over,
    only,
    // A branch may have moved since.
    base: base?.commit,
  };
  const given = { ...options, environment: chosenEnvironment(options.environment, env) };
  const problems = (Object.keys(NAMES) as (keyof NamedOptions)[])
    .filter((name) => isSaid(given[name]) && wordOf(given[name]) !== wordOf(named[name]))
    .filter((name) => name !== 'base' || given.base !== base?.revision)
    .map((name) =>
      problem(
        'invalid-option',
        `${NAMES[name]} says something else than the plan file, which was made ${isSaid(named[name]) ? `with ${wordOf(named[name])}` : 'without it'}`,
        `Remove ${NAMES[name]}, or plan again with it.`,
      ),
    );
  if (problems.length > 0) throw new CommandFailure(3, problems);
  return { ...options, ...named };
}

const { override: _, ...SAVED } = SELECTION;
const NAMES = { environment: '--environment', ...SAVED } as const satisfies Record<
  keyof NamedOptions,
  string
>;

function isSaid(value: NamedOptions[keyof NamedOptions]): boolean {
  return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

function wordOf(value: NamedOptions[keyof NamedOptions]): string {
  return Array.isArray(value) ? [...new Set(value)].sort().join(', ') : String(value);
}
