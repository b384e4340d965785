/** GitHub's runner, as far as it reads output: src/Runner.Common/ActionCommand.cs of actions/runner, v2 first, then v1. */
export interface RunnerCommand {
  readonly command: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly data: string;
}

const COMMANDS = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]);

/** The commands that the runner finds in what a step wrote to one stream. */
export function runnerCommands(output: string): readonly RunnerCommand[] {
  return output.split(/\r\n|\r|\n/).flatMap((line) => second(line) ?? first(line) ?? []);
}

/** `::command name=value,…::data`, after white space. */
function second(line: string): RunnerCommand | undefined {
  const text = line.replace(/^[\s\u0085]+/, '');
  if (!text.startsWith('::')) return undefined;
  const end = text.indexOf('::', 2);
  if (end < 0) return undefined;
  return read(text.slice(2, end), ',', unescapeProperty, unescapeData(text.slice(end + 2)));
}

/** `##[command name=value;…]data`, anywhere. */
function first(line: string): RunnerCommand | undefined {
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return undefined;
  return read(line.slice(start + 3, end), ';', unescapeData, line.slice(end + 1));
}

function read(
  info: string,
  separator: string,
  plain: (text: string) => string,
  data: string,
): RunnerCommand | undefined {
  const space = info.indexOf(' ');
  const command = (space < 0 ? info : info.slice(0, space)).toLowerCase();
  if (!COMMANDS.has(command)) return undefined;
  const pairs = space < 0 ? [] : info.slice(space + 1).split(separator);
  const properties = pairs.flatMap((pair) => {
    const at = pair.indexOf('=');
    return at <= 0 || at === pair.length - 1 ? [] : [[pair.slice(0, at).trim(), plain(pair.slice(at + 1))]];
  });
  return { command, properties: Object.fromEntries(properties), data };
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}

function unescapeProperty(text: string): string {
  return text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');
}
