import { type PauseAsk, type PauseResult, pauseChosen } from '../../../src/features/switch/pausing.ts';
import { TASK_KINDS } from '../../../src/model/kind.ts';
import { SILENT } from '../../../src/ports/output.ts';
import { fixedLimiter } from '../../../src/service/limits/semaphore.ts';
import type { Meddler, Stage } from '../../act/stage.ts';
import { EVERYTHING } from '../../support/everything.ts';

/** `tradeform pause --all` of the project core, in process, with every request in the test's hands. `most`: how long, in ms. */
export function pauseAll(
  stage: Stage,
  over: Partial<PauseAsk> = {},
  meddler?: Meddler,
  most = 300_000,
): Promise<PauseResult | 'crashed'> {
  const { signal } = new AbortController();
  return stage.run(
    ({ api, clock }) =>
      pauseChosen(
        {
          selection: EVERYTHING,
          policy: { project: 'core', previousProject: 'was', stoppedTasks: 'hold' },
          kinds: TASK_KINDS.map(({ collection }) => collection),
          dryRun: false,
          ...over,
        },
        {
          ...{
            api,
            clock,
            limiter: fixedLimiter(1),
            pages: fixedLimiter(1),
            progress: SILENT,
            stop: { soft: signal, hard: signal },
          },
          until: clock.now() + most,
        },
      ),
    meddler,
  );
}
