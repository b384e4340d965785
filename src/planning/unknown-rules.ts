import { basename } from 'node:path';
import type { UnknownRules } from '../plan/rules/base-guardrails.ts';
import type { Rules } from '../plan/rules/rules.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import type { Revision } from '../project/revision.ts';
import type { RulesResult } from '../project/rules.ts';
import { baseName } from '../render/base-text.ts';

interface Here {
  /** The base. */
  readonly revision: Revision;
  readonly projectFile: string;
  readonly place: Rules['place'];
}

/**
 * Why the guardrails and the pin of the base for this plan are not known; undefined where they are, or where the base has no
 * project at all. A project that is new at its place, or in its environment, looks like one that a change has moved there to
 * leave the rules of the base behind. `unread` says why there are no rules.
 */
export function unknownRules(
  there: RulesResult,
  unread: string | undefined,
  { revision, projectFile, place }: Here,
): UnknownRules | undefined {
  const base = baseName({ revision: revision.name, commit: revision.commit });
  const finding = (rule: string, why: string, hint: string): UnknownRules => ({
    message: `The guardrails and the account pin of the base, ${base}, are unknown: ${why}.`,
    hint,
    location: place(rule),
  });
  if ('rules' in there) {
    const { environment, environments } = there.rules;
    if (environments.length === 0 || (environment !== null && environments.includes(environment)))
      return undefined;
    const why = `its environments are ${someOf(environments)}, but this plan is for ${environment ?? 'none'}`;
    const hint =
      'Keep the name of the environment. Merge a new environment first, and plan it with --base afterwards.';
    return finding('environments', why, hint);
  }
  if (!there.missing)
    return finding('metadata.name', `${unread}`, 'Name a base whose project file can be read.');
  const others = revision.filesNamed([PROJECT_FILE, basename(projectFile)]);
  if (others?.length === 0) return undefined;
  const elsewhere =
    others === undefined ? 'git cannot list its files' : `its project files are ${someOf(others)}`;
  const hint =
    'Keep the project file where it is. Merge a moved project file first, and plan it with --base afterwards.';
  return finding('metadata.name', `${unread}, and ${elsewhere}`, hint);
}

const MOST_NAMED = 3;

function someOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
