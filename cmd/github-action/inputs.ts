import { usage } from '../../src/diagnostics/diagnostic.ts';

/** The values of `--only`. `all` omits the option. */
const ONLY = ['pending', 'all'] as const;
const COMMANDS = ['validate', 'plan', 'apply', 'drift', 'pause', 'resume', 'matrix'] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The inputs, as action.yml describes them. Missing texts are undefined. */
export type Inputs = ReturnType<typeof readInputs>;

/** Reads the inputs, which action.yml passes as INPUT_…. Fails (exit 3) with all problems at once. */
export function readInputs(env: Env) {
  const problems: string[] = [];
  const text = (name: string) => env[`INPUT_${name.toUpperCase().replaceAll('-', '_')}`]?.trim() || undefined;
  const flag = (name: string, fallback: boolean): boolean => {
    const value = text(name) ?? String(fallback);
    if (value !== 'true' && value !== 'false') problems.push(`${name} is neither true nor false`);
    return value === 'true';
  };
  const command = COMMANDS.find((known) => known === text('command'));
  if (command === undefined) problems.push(`command must be one of ${COMMANDS.join(', ')}`);
  const only = ONLY.find((known) => known === (text('only') ?? 'pending'));
  if (only === undefined) problems.push(`only must be one of ${ONLY.join(', ')}`);
  const expect = text('expect') ?? 'reviewed';
  if (!/^(?:reviewed|none|[0-9a-f]{64})$/.test(expect))
    problems.push('expect must be reviewed, none or a complete digest (64 hex digits)');
  const issueLabel = text('issue-label') ?? 'tradeform-drift';
  if (issueLabel.length > 50 || issueLabel.includes(','))
    problems.push('issue-label is longer than 50 characters or contains a comma');
  const fleet = text('fleet');
  const tokens = tokensIn(text('tokens') ?? '', problems);
  const single = ['project', 'environment', 'base-url'].filter((name) => text(name) !== undefined);
  if (fleet !== undefined && single.length > 0)
    problems.push(`fleet cannot be combined with ${single.join(', ')}`);
  if (fleet === undefined && Object.keys(tokens).length > 0) problems.push('tokens is for a fleet');
  const [shard, documents] = [text('shard'), text('documents')];
  if (command === 'matrix' && fleet === undefined) problems.push('matrix is for a fleet');
  if (documents !== undefined && (fleet === undefined || (command !== 'plan' && command !== 'drift')))
    problems.push('shard and documents are for plan and drift of a fleet');
  if (shard !== undefined && documents === undefined) problems.push('shard needs documents');
  const [unmanaged, asStored] = [flag('unmanaged', false), flag('as-stored', false)];
  const chosen = chosenTasks(command, text, { unmanaged, asStored, expect }, problems);
  const inputs = {
    command: command ?? 'validate',
    /** Relative to the workspace. */
    workingDirectory: text('working-directory') ?? '.',
    /** Another repository and its branch. */
    repository: text('repository'),
    project: text('project'),
    environment: text('environment'),
    baseUrl: text('base-url'),
    fleet,
    tokens,
    shard,
    documents,
    base: text('base') ?? 'auto',
    only: only ?? 'pending',
    comment: flag('comment', true) && shard === undefined,
    expect,
    /** An earlier commit. */
    rollback: text('rollback'),
    issue: flag('issue', true) && shard === undefined,
    issueLabel,
    chosen,
    /** Further arguments for tradeform, passed without a shell. */
    arguments: (text('arguments') ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
  if (problems.length > 0)
    throw usage(`the inputs cannot be used: ${problems.join('; ')}`, 'action.yml describes them.');
  return inputs;
}

/**
 * The words for `pause` and `resume`. What a person typed into a form chooses tasks and is no option: an option could name another
 * host for the token.
 */
function chosenTasks(
  command: string | undefined,
  text: (name: string) => string | undefined,
  { unmanaged, asStored, expect }: { unmanaged: boolean; asStored: boolean; expect: string },
  problems: string[],
) {
  const [tasks = '', label, projectName] = [text('tasks'), text('label'), text('project-name')];
  const names = tasks.split(/\s+/).filter((word) => word !== '');
  const all = names.join() === 'all';
  const switches = command === 'pause' || command === 'resume';
  if (!switches && (tasks !== '' || label !== undefined || unmanaged))
    problems.push('tasks, label and unmanaged are for pause and resume');
  if (command !== 'resume' && asStored) problems.push('as-stored is for resume');
  if (command !== 'pause' && projectName !== undefined) problems.push('project-name is for pause');
  if (command === 'resume' && expect === 'none') problems.push('expect of resume is a digest');
  if (switches && tasks === '' && label === undefined)
    problems.push(`${command} needs tasks (all, or some of them) or a label`);
  if (label !== undefined && tasks !== '' && !all)
    problems.push('tasks and label cannot be combined: name the tasks, or the label');
  return {
    options: [
      ...(label !== undefined ? [`--label=${label}`] : all ? ['--all'] : []),
      ...(unmanaged ? ['--include-unmanaged'] : []),
      ...(asStored ? ['--as-stored'] : []),
      ...(projectName === undefined ? [] : [`--project-name=${projectName}`]),
      ...(command === 'resume' && expect !== 'reviewed' ? [`--expect=${expect}`] : []),
    ],
    names: label !== undefined || all ? [] : ['--', ...names],
  };
}

/** One `NAME=TOKEN` each. A missing secret is an empty text, and tradeform reports which variable lacks a token. */
function tokensIn(text: string, problems: string[]): Readonly<Record<string, string>> {
  const lines = text.split('\n').map((line) => line.trim());
  const tokens: Record<string, string> = {};
  for (const line of lines.filter((one) => one !== '')) {
    const [, name, token = ''] = /^([A-Za-z_]\w*)=(\S*)$/.exec(line) ?? [];
    // The line is not repeated, because it may contain a token.
    if (name === undefined) problems.push('tokens has a line that is not NAME=TOKEN');
    else if (token !== '') tokens[name] = token;
  }
  return tokens;
}
