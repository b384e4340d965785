import type { RunRecord } from '../model/generated/report.ts';
import { userName } from '../project/find-project.ts';
import { toldCommits } from '../project/git-state.ts';
import { hostIn, hostOf } from './event.ts';
import type { Io } from './io.ts';

/** Why somebody starts a command that writes. */
export interface ReasonOptions {
  readonly reason?: string | undefined;
}

type RecordOf<Command> = RunRecord & { readonly command: Command };
type KnownRun<Command> = Omit<RecordOf<Command>, 'author' | 'by' | 'why'>;

/** The record of a run: what is known, and what the CI or the system claims about who started it. Never fails. */
export async function recordOf<Command extends RunRecord['command']>(
  known: KnownRun<Command>,
  { reason }: ReasonOptions,
  io: Io,
): Promise<RecordOf<Command>> {
  const { commit, base } = known;
  const told = commit === null ? [] : await toldCommits(commit, base, io.cwd, io.env);
  const subjects = told.map(({ subject }) => subject);
  const author = told[0]?.author ?? null;
  const { by, run } = claimedIn(io.env);
  return { ...known, author, by, why: { subjects, run, reason: reason ?? null } };
}

function claimedIn(env: Io['env']): { by: RunRecord['by']; run: string | null } {
  const host = hostIn(env);
  if (host === undefined) return { by: { name: userName() || null, claimed_by: 'system' }, run: null };
  return { by: { name: env[host.actor] || null, claimed_by: hostOf(env) }, run: host.run(env) ?? null };
}

/** The options as words, `--only pending`: those of the table that were given. */
export function optionWords<Options extends object>(
  options: Options,
  names: Readonly<Partial<Record<keyof Options, string>>>,
): string[] {
  return (Object.keys(names) as (keyof Options)[]).flatMap((key) => {
    const [value, name] = [options[key] as unknown, names[key] ?? ''];
    if (value === undefined || value === false) return [];
    if (value === true) return [name];
    return [value].flat().map((one) => `${name} ${String(one)}`);
  });
}
