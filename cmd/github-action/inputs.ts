import { ActionFailure } from './failure.ts';

/** The values of `--only`. `all` omits the option. */
const ONLY = ['pending', 'change', 'all'] as const;
const COMMANDS = ['validate', 'plan', 'apply', 'drift', 'matrix'] as const;
export type ActionCommand = (typeof COMMANDS)[number];

/** The checked inputs from `with:`. Missing texts are undefined. */
export interface Inputs {
  readonly command: ActionCommand;
  /** Relative to the workspace. */
  readonly workingDirectory: string;
  readonly project: string | undefined;
  readonly environment: string | undefined;
  readonly baseUrl: string | undefined;
  /** The fleet file: the command covers all of its accounts. */
  readonly fleet: string | undefined;
  /** The tokens of a fleet, by the variables that the fleet file names. */
  readonly tokens: Readonly<Record<string, string>>;
  /** `I/N`: the accounts of one shard. The document goes to `documents`; the job that merges writes the comment or the issue. */
  readonly shard: string | undefined;
  /** A folder. Without `shard`, the documents of all shards in it are merged, and no request goes to the service. */
  readonly documents: string | undefined;
  /** A revision. `auto`: the base of the pull request. `none`. */
  readonly base: string;
  readonly only: (typeof ONLY)[number];
  readonly comment: boolean;
  /** `reviewed`, `none`, or the digest itself. */
  readonly expect: string;
  readonly issue: boolean;
  readonly issueLabel: string;
  readonly redactWallets: boolean;
  /** Further arguments for tradeform, passed without a shell. */
  readonly arguments: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads the inputs, which action.yml passes as INPUT_…. Fails with all problems at once. */
export function readInputs(env: Env): Inputs {
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
  if (!/^(?:reviewed|none|[0-9a-f]{64})$/.test(expect)) {
    problems.push('expect must be reviewed, none or a complete digest (64 hex digits)');
  }
  const issueLabel = text('issue-label') ?? 'tradeform-drift';
  if (issueLabel.length > 50 || issueLabel.includes(',')) {
    problems.push('issue-label is longer than 50 characters or contains a comma');
  }
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
  const inputs: Inputs = {
    command: command ?? 'validate',
    workingDirectory: text('working-directory') ?? '.',
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
    issue: flag('issue', true) && shard === undefined,
    issueLabel,
    redactWallets: flag('redact-wallets', false),
    arguments: (text('arguments') ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  };
  if (problems.length > 0) {
    throw new ActionFailure(3, `the inputs cannot be used: ${problems.join('; ')}`);
  }
  return inputs;
}

/** One `NAME=TOKEN` each. A missing secret is an empty text, and tradeform reports which variable lacks a token. */
function tokensIn(text: string, problems: string[]): Inputs['tokens'] {
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
