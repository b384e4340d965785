import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Io } from '../../src/core/command/io.ts';
import { runApply } from '../../src/core/features/apply.ts';
import { runPlan } from '../../src/core/features/plan.ts';
import { runStatus } from '../../src/core/features/status/status.ts';
import { openProject, type ProjectRun } from './project-run.ts';

let project: ProjectRun;
beforeAll(async () => {
  project = await openProject();
});

const COMMANDS: Readonly<Record<string, (io: Io) => Promise<number>>> = {
  plan: (io) => runPlan({}, io),
  'plan --target': (io) => runPlan({ target: ['sniper/none'] }, io),
  apply: (io) => runApply(undefined, { autoApprove: true, firstApply: true }, io),
  status: (io) => runStatus([], {}, io),
};

/** Both ends of each open connection. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

/** Runs a command whose stage number `failing` (from 1) fails. Says how it ended, and who still listens for signals. */
async function failingAt(failing: number, command: (io: Io) => Promise<number>) {
  let stages = 0;
  let opened = 0;
  let listening = 0;
  const run = (io: Io) =>
    command({
      ...io,
      stop: {
        ...io.stop,
        hear() {
          opened += 1;
          listening += 1;
          return () => {
            listening -= 1;
          };
        },
        async unheard(work) {
          stages += 1;
          if (stages === failing) throw new Error('this stage fails');
          return work();
        },
      },
    });
  const said = await project.run(run).catch((error: Error) => error.message);
  return { said, stages, opened, listening };
}

describe.each(Object.entries(COMMANDS))('%s closes its session', (_name, command) => {
  it('however many stages succeed before one fails', async () => {
    // The last round is that in which no stage fails.
    for (let failing = 1, failed = true; failed; failing += 1) {
      const { said, stages, opened, listening } = await failingAt(failing, command);
      failed = said === 'this stage fails';
      expect({ failed, opened, listening }).toEqual({ failed: failing <= stages, opened: 1, listening: 0 });
      expect(failed || failing > 2).toBe(true);
      await vi.waitFor(() => expect(sockets()).toBe(0));
    }
  });
});
