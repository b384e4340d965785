import { isConfirmed } from '../command/confirmed-hosts.ts';
import { type ConnectionOptions, isBaseUrlNamed, projectTokenHost } from '../command/connection.ts';
import type { Io } from '../command/io.ts';
import type { ProjectAt } from '../command/project-at-revision.ts';
import { CommandFailure, problem } from '../diagnostics/diagnostic.ts';
import { baseName } from '../documents/plan-summary.ts';
import { checkBaseUrl } from '../model/base-url.ts';
import type { RuleChange } from '../model/generated/plan.ts';
import { named } from '../model/named.ts';
import {
  type BaseGuardrails,
  baseGuardrails,
  DEFAULT_RULES,
  ignoredFieldChanges,
  type Rules,
  ruleChanges,
  ruleDiagnostics,
  type UnknownRules,
} from '../plan/rules/rules.ts';
import { type RulesResult, readRules } from '../project/project.ts';
import { diskTree } from '../project/read-file.ts';
import type { Revision } from '../project/revision.ts';
import type { Loaded } from './load-project.ts';

export interface BaseRules {
  readonly at: ProjectAt;
  /** `main (1a2b3c4)`. */
  readonly name: string;
  readonly rules: Rules;
  readonly changes: readonly RuleChange[];
  readonly guardrails: BaseGuardrails;
  /** Why default rules apply instead of the rules in the base's project file. */
  readonly unread?: string;
}

/** Compares the rules of the project with those of the base. Reads files and git; sends nothing. */
export async function compareRules(
  { settings, desired, guardrails }: Pick<Loaded, 'settings' | 'desired' | 'guardrails'>,
  at: ProjectAt,
): Promise<BaseRules> {
  const { revision, project } = at;
  const { projectDir, projectFile } = settings;
  // The environment in use, even if it was chosen only because it is the only one.
  const environment = settings.environment ?? undefined;
  const here = await readRules(diskTree(projectDir), projectFile, environment, guardrails);
  if ('diagnostics' in here) throw new CommandFailure(3, here.diagnostics);
  const there = await readRules(revision.tree, revision.projectFile, environment, project.guardrails);
  const name = baseName({ revision: revision.name, commit: revision.commit });
  // A base that does not compile may lack the names of wallets. The current names are better than no names.
  const wallets = project.state?.wallets ?? new Map([...desired.wallets, ...project.wallets]);
  const rules = 'rules' in there ? withShownUrl({ ...there.rules, wallets }) : DEFAULT_RULES;
  const ignored = ignoredFieldChanges(project.state ?? { tasks: [] }, desired);
  const changes = ruleChanges(rules, withShownUrl({ ...here.rules, wallets: desired.wallets }), ignored);
  const unread =
    'rules' in there
      ? undefined
      : there.missing
        ? `${projectFile} does not exist there`
        : `${projectFile} cannot be used there: ${there.diagnostics[0]?.message ?? ''}`;
  const unknown = unknownRules(there, unread, revision, here.rules.place);
  return {
    at,
    name,
    rules,
    changes,
    guardrails: baseGuardrails(rules, changes, name, unknown),
    ...(unread === undefined ? {} : { unread }),
  };
}

/** An unusable base URL may contain credentials, so it is never shown. */
function withShownUrl(rules: Rules): Rules {
  if (rules.baseUrl === undefined) return rules;
  const check = checkBaseUrl(rules.baseUrl);
  return { ...rules, baseUrl: check.ok ? check.url : `(cannot be used: ${check.problem})` };
}

/**
 * Fails (exit 4) before anything is sent, if this change alone decides which host receives the token. This is so if the base
 * URL of the project file has another origin than at the base, or if the base has none to compare with. An option, the
 * environment or the operator's confirmation for the project's token allows the host, because a pull request cannot reach them.
 */
export function requireKnownOrigin(
  { name, rules, changes, unread }: BaseRules,
  { settings, sources }: Pick<Loaded, 'settings' | 'sources'>,
  options: ConnectionOptions,
  { env }: Pick<Io, 'env'>,
): void {
  const { baseUrl, baseUrlLocation } = settings;
  // A malformed base URL is reported where it is used.
  const origin = originOf(baseUrl);
  if (isBaseUrlNamed(options, env) || origin === undefined || origin === originOf(rules.baseUrl)) return;
  const own = projectTokenHost(options, env, settings, baseUrl);
  if (own !== undefined && isConfirmed(own, env)) return;
  const there =
    rules.baseUrl === undefined
      ? `${name} does not name this URL as the service (${unread ?? 'there, the project file has no base_url for this environment'})`
      : `at ${name}, the base URL has another origin: ${rules.baseUrl}`;
  const refusal = problem(
    'base-url-unconfirmed',
    `the token is not sent to ${origin}: ${there}; no request was sent`,
    'If it is the right host, name it outside the reviewed files: --base-url URL or TRADEFORM_BASE_URL, in CI from a setting of the repository or the project.',
    { location: baseUrlLocation },
  );
  throw new CommandFailure(4, [refusal, ...ruleDiagnostics(changes, name)], sources, {
    rules_changed: changes,
  });
}

function originOf(url: string | undefined): string | undefined {
  const check = url === undefined ? undefined : checkBaseUrl(url);
  return check?.ok === true ? check.origin : undefined;
}

/**
 * Why the guardrails and the pin of the base are unknown for this plan. Undefined if they are known, or if the base has no
 * project at all. A project that is new in its folder or environment may have been moved there by this change, to escape the
 * rules of the base. `unread` says why the rules are missing.
 */
function unknownRules(
  there: RulesResult,
  unread: string | undefined,
  revision: Revision,
  place: Rules['place'],
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
    const why = `its environments are ${named(environments, MOST_NAMED)}, but this plan is for ${environment ?? 'none'}`;
    const hint =
      'Keep the name of the environment. Merge a new environment first, and plan it with --base afterwards.';
    return finding('environments', why, hint);
  }
  if (!there.missing)
    return finding('metadata.name', `${unread}`, 'Name a base whose project file can be read.');
  const others = revision.others();
  if (others?.length === 0) return undefined;
  const elsewhere =
    others === undefined ? 'git cannot list its files' : `its project files are ${named(others, MOST_NAMED)}`;
  const hint =
    'Keep the project file where it is, or its metadata.name, which only one project file of the base may have. Or merge the moved project file first, and plan it with --base afterwards.';
  return finding('metadata.name', `${unread}, and ${elsewhere}`, hint);
}

const MOST_NAMED = 3;
