import { requireConnection } from '../../command/connection.ts';
import { unlessInterrupted } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { shown } from '../../command/masking.ts';
import type { CommonOptions } from '../../command/options.ts';
import { fittedMarkdown } from '../../command/output/fitted-markdown.ts';
import {
  findingsFormats,
  type PresentOptions,
  present,
  type Renderings,
} from '../../command/output/present.ts';
import { VERSION } from '../../command/version.ts';
import { CommandFailure, type Diagnostic, note, warning } from '../../diagnostics/diagnostic.ts';
import { didYouMean } from '../../manifest/suggest.ts';
import type { DriftClass, DriftReport } from '../../model/generated/drift.ts';
import type { LiveState } from '../../model/resource.ts';
import { Origin } from '../../origin/origin.ts';
import { NO_GUARDRAILS } from '../../plan/guardrails/compiled.ts';
import { NO_OPTIONS } from '../../plan/input.ts';
import { makePlan } from '../../plan/plan.ts';
import { searchHistory } from '../../planning/origin.ts';
import { collectionsOf, openAndRead, unknownAddresses } from '../../planning/planning.ts';
import { jsonText } from '../../render/result.ts';
import { viewText } from '../../render/text-layout.ts';
import type { View } from '../../render/view.ts';
import { DRIFT_CLASSES, type DriftPolicy } from './classes.ts';
import { driftReport } from './drift-report.ts';
import { type GitSource, readGitSource } from './source.ts';
import { driftView } from './view.ts';

export interface DriftOptions extends CommonOptions, PresentOptions {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  /** Classes that do not affect the exit code. */
  readonly ignore?: readonly string[] | undefined;
  /** Classes that fail, although they are otherwise only reported. */
  readonly failOn?: readonly string[] | undefined;
}

/**
 * `tradeform drift`: what differs from git, and why (DESIGN 9). Returns the exit code: 4 if the live view is incomplete (known
 * facts are shown), 2 with drift, else 0. Sends GET requests only.
 */
export async function runDrift(options: DriftOptions, io: Io): Promise<number> {
  const policy = policyOf(options);
  const git = await readGitSource(options, io);
  const found = await unlessInterrupted(search(options, git, policy, io), io.stop.soft);
  const report = shown(found, io);
  const exitCode = !report.complete ? 4 : report.drift ? 2 : 0;
  const view = () => driftView(report, git.desired.wallets);
  return present(driftRenderings(report, view, options, io, exitCode), options, io, {
    command: 'drift',
    exitCode,
  });
}

async function search(
  options: DriftOptions,
  { desired, settings, source, number, history, diagnostics }: GitSource,
  policy: DriftPolicy,
  io: Io,
): Promise<DriftReport> {
  const { connection, diagnostics: said } = await requireConnection(options, io, settings);
  const { session, live, warnings } = await openAndRead(options, io, connection, {
    needed: collectionsOf(desired),
    pin: settings.account,
  });
  await session.close();
  const { target = [], exclude = [] } = options;
  const plan = makePlan({
    desired,
    live,
    baseUrl: connection.baseUrl,
    toolVersion: VERSION,
    createdAt: new Date(session.clock.now()).toISOString(),
    source: { commit: source.commit, dirty: source.dirty, manifestsDigest: source.manifests_digest, number },
    options: { ...NO_OPTIONS, targets: target, excludes: exclude, allowEmpty: true },
    // Nothing is carried out, so there is nothing to refuse.
    guardrails: NO_GUARDRAILS,
    diagnostics: [],
  });
  const unknown = unknownAddresses(plan);
  if (unknown.length > 0) throw new CommandFailure(3, unknown);
  const origin = new Origin({ plan, desired, live, number, base: undefined });
  const read =
    history === undefined ? undefined : await readHistory(origin, history, { desired, settings }, io);
  const firstApply = plan.diagnostics.filter(({ code }) => code === 'first-apply') as Diagnostic[];
  // The report itself says what an incomplete view means.
  const shownWarnings = warnings.filter((one) => !isOfView(one, live));
  return driftReport({
    ...{ plan, live, origin, source, policy },
    history: read?.history ?? { commits: 0, skipped: 0, oldest: null, ended: 'none' },
    diagnostics: [...said, ...shownWarnings, ...diagnostics, ...firstApply, ...(read?.diagnostics ?? [])],
  });
}

/** Reads earlier commits as far as they can tell something, and says what the history does not show. */
async function readHistory(
  origin: Origin,
  { repository, head }: NonNullable<GitSource['history']>,
  of: Pick<GitSource, 'desired' | 'settings'>,
  io: Io,
): Promise<{ readonly history: DriftReport['history']; readonly diagnostics: readonly Diagnostic[] }> {
  const none = { commits: 0, skipped: 0, oldest: null };
  const shallow = repository.isShallow() === true ? [SHALLOW] : [];
  if (!origin.open) return { history: { ...none, ended: 'settled' }, diagnostics: shallow };
  const { history, commits, broken: skipped, oldest } = await searchHistory(origin, repository, head, of, io);
  if (history.problem !== undefined)
    return { history: { ...none, ended: 'none' }, diagnostics: [unreadable(history.problem)] };
  const ended = origin.open ? history.ended : 'settled';
  const limited = ended === 'depth' ? [tooDeep(commits)] : [];
  const passed = skipped === 0 ? [] : [passedOver(skipped)];
  return {
    history: { commits, skipped, oldest: oldest ?? null, ended },
    diagnostics: [...shallow, ...limited, ...passed],
  };
}

function isOfView({ code }: Diagnostic, { complete }: LiveState): boolean {
  return !complete && code === 'view-incomplete';
}

function unreadable(problem: string): Diagnostic {
  return warning(
    'history-none',
    `what was applied last is known only where git wants the same now: git cannot list the earlier commits: ${problem}`,
    'run `git log` in the project directory; a partial clone may lack the requested commits',
  );
}

/** Always reported, even if this run did not need the history. */
const SHALLOW = note(
  'history-shallow',
  'this clone is shallow: what was applied from an earlier commit than it has is unknown',
  'fetch the history: git fetch --unshallow, or fetch-depth: 0 in a workflow',
);

function tooDeep(commits: number): Diagnostic {
  return note(
    'history-limited',
    `what was applied from an older commit is unknown: the last ${commits} commits were read`,
    'apply once without --only: then the markers name a commit that is read',
  );
}

function passedOver(skipped: number): Diagnostic {
  const one = skipped === 1;
  return note(
    'commits-skipped',
    `${skipped} earlier ${one ? 'commit does' : 'commits do'} not compile and ${one ? 'was' : 'were'} skipped`,
    'they may need environment variables that are not set here, or files that a partial clone lacks',
  );
}

function policyOf({ ignore = [], failOn = [] }: DriftOptions): DriftPolicy {
  const wrong = [
    ...ignore.flatMap((name) => notAClass('--ignore', name)),
    ...failOn.flatMap((name) => notAClass('--fail-on', name)),
    ...ignore.filter((name) => failOn.includes(name)).map(contradiction),
  ];
  if (wrong.length > 0) throw new CommandFailure(3, wrong);
  return { ignore: classes(ignore), failOn: classes(failOn) };
}

function classes(names: readonly string[]): readonly DriftClass[] {
  return DRIFT_CLASSES.filter((kind) => names.includes(kind));
}

function notAClass(option: string, name: string): readonly Diagnostic[] {
  if (DRIFT_CLASSES.some((kind) => kind === name)) return [];
  const near = didYouMean(name, DRIFT_CLASSES);
  const list = `one of ${DRIFT_CLASSES.join(', ')}`;
  const hint = near === undefined ? list : `${near} ${list}`;
  return [
    { severity: 'error', code: 'invalid-option', message: `${option} ${name} is not a class of drift`, hint },
  ];
}

function contradiction(name: string): Diagnostic {
  return {
    severity: 'error',
    code: 'invalid-option',
    message: `${name} is in both --ignore and --fail-on`,
    hint: 'remove it from one of them',
  };
}

/** A drift report in every format. `report` is already masked. */
function driftRenderings(
  report: DriftReport,
  made: () => View,
  options: CommonOptions,
  io: Io,
  exitCode: number,
): Renderings {
  const findings = async () => (await import('./findings.ts')).driftFindings(report, exitCode);
  return {
    ...findingsFormats(findings, options, io),
    text: (view) => viewText(made(), view),
    json: () => jsonText(report),
    html: async () => {
      const { driftPage } = await import('../report/pages.ts');
      return (await import('../../render/html/page.ts')).pageText(driftPage(report));
    },
    markdown: ({ maxBytes }) =>
      fittedMarkdown(made(), maxBytes, {
        essence: 'the report does not fit BYTES bytes: its summary and what trades against git',
        less: 'look at',
      }),
  };
}
