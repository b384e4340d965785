import { SYSTEM_CLOCK } from '../../core/command/clock.ts';
import type { Io } from '../../core/command/io.ts';
import type { CommonOptions } from '../../core/command/options.ts';
import { openOperator } from '../../core/features/switch/context.ts';
import type { LiveState } from '../../core/model/resource.ts';
import { type KnownTask, knownTask } from '../../core/plan/identity/known-task.ts';
import { readLive } from '../../core/service/view/read.ts';

/** The project that an unfinished command line names. */
export type NamedPlace = Pick<CommonOptions, 'project' | 'environment' | 'baseUrl' | 'tokenFile'>;

/** A user who presses Tab waits no longer than this. */
const PATIENCE_MS = 2_000;

/** Names on the service, read with GET requests. Undefined without a quick answer, a token or the right account. */
export async function liveNames(named: NamedPlace, io: Io): Promise<ReturnType<typeof namesIn> | undefined> {
  const silent: Io = Object.assign(Object.create(io) as Io, {
    stderr: () => undefined,
    // Completion never asks questions.
    ask: () => Promise.resolve(''),
  });
  return Promise.race([
    read(named, silent).catch(() => undefined),
    SYSTEM_CLOCK.sleep(PATIENCE_MS).then(() => undefined),
  ]);
}

async function read(named: NamedPlace, io: Io) {
  const context = await openOperator({ ...named, quiet: true }, io, {});
  const { api, clock } = context.session;
  try {
    const { live } = await readLive({ api, clock, needed: new Set(), limits: { passes: 1 } });
    return live === undefined ? undefined : namesIn(live, (task) => knownTask(task, context.project));
  } finally {
    await context.session.close();
  }
}

/** Addresses of the project’s own tasks, names of all labels, and names of other projects with tasks in this account. */
function namesIn(
  { tasks, labels }: LiveState,
  known: (task: LiveState['tasks'][number]) => KnownTask,
): Readonly<Record<'running' | 'paused' | 'labels' | 'projects', readonly string[]>> {
  const addresses = (runs: boolean) =>
    tasks
      .filter(({ is_active }) => is_active === runs)
      .flatMap((task) => known(task).address ?? [])
      .sort();
  const foreign = tasks
    .map(known)
    .flatMap(({ owner, marker }) => (owner === 'foreign' && marker !== undefined ? [marker.project] : []));
  return {
    projects: [...new Set(foreign)].sort(),
    running: addresses(true),
    paused: addresses(false),
    labels: labels.map(({ name }) => name).sort(),
  };
}
