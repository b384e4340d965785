import type { FailureOptions } from '../src/commands/failure.ts';
import { maxBytesOf } from '../src/render/markdown/limits.ts';

/**
 * What is read from the raw arguments: a command line that does not parse may still ask for a format and for reports. The
 * last of several counts, as it does for the parser.
 */
export type RawOptions = Omit<FailureOptions, 'printed'> & { readonly chdir?: string };

const COMMANDS: ReadonlySet<string> = new Set([
  'validate',
  'render',
  'plan',
  'apply',
  'drift',
  'rehearse',
  'rollback',
  'status',
  'pause',
  'resume',
  'release',
  'doctor',
  'init',
  'explain',
  'export',
  'fmt',
  'schema',
  'sandbox',
  'completion',
]);
/** Those that take `--report`; only these speak to GitHub Actions by themselves. */
const REPORTING: ReadonlySet<string> = new Set(['validate', 'plan', 'apply', 'rollback', 'drift']);

export function rawOptions(args: readonly string[]): RawOptions {
  const command = args.find((arg) => COMMANDS.has(arg)) ?? 'tradeform';
  const { values: output } = valuesOf(args, '--output', '-o');
  const { values: report } = valuesOf(args, '--report');
  const { values: chdir } = valuesOf(args, '--chdir', '-C');
  const { values: project } = valuesOf(args, '--project');
  const { values: environment } = valuesOf(args, '--environment', '-e');
  const { values: baseUrl } = valuesOf(args, '--base-url');
  const spent = new Set(
    [['--output', '-o'], ['--report'], ['--chdir', '-C']].flatMap(
      ([long = '', short]) => valuesOf(args, long, short).places,
    ),
  );
  return {
    command,
    report,
    github: REPORTING.has(command) && !args.includes('--no-github'),
    taken: args.flatMap((arg, index) =>
      spent.has(index) || arg === command ? [] : (/^(?:--[a-z-]+=)?([^-].*)$/s.exec(arg)?.[1] ?? []),
    ),
    ...last('output', output),
    ...last('chdir', chdir),
    ...last('project', project),
    ...last('environment', environment),
    ...last('baseUrl', baseUrl),
    ...room(valuesOf(args, '--max-bytes').values.at(-1)),
  };
}

/** Values of an option, and the places of the words that hold them: `--name value`, `--name=value`, `-n value`, `-nvalue`. */
function valuesOf(args: readonly string[], long: string, short?: string) {
  const values: string[] = [];
  const places: number[] = [];
  const end = args.indexOf('--');
  const words = end < 0 ? args : args.slice(0, end);
  for (const [index, arg] of words.entries()) {
    const next = words[index + 1];
    if ((arg === long || arg === short) && next !== undefined) {
      values.push(next);
      places.push(index + 1);
    } else if (arg.startsWith(`${long}=`)) {
      values.push(arg.slice(long.length + 1));
      places.push(index);
    } else if (short !== undefined && arg.startsWith(short) && arg.length > 2 && !arg.startsWith('--')) {
      values.push(arg.slice(2));
      places.push(index);
    }
  }
  return { values, places };
}

function room(text: string | undefined): { readonly maxBytes?: number } {
  const maxBytes = text === undefined ? undefined : maxBytesOf(text);
  return maxBytes === undefined ? {} : { maxBytes };
}

function last<Name extends string>(
  name: Name,
  values: readonly string[],
): { readonly [name in Name]?: string } {
  const value = values.at(-1);
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in Name]: string });
}
