import { Requests } from '../../../src/core/act/requests.ts';
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.ts';
import { PauseFreeze } from '../../../src/core/features/switch/freeze.ts';
import { type PauseAsk, type PauseResult, pauseChosen } from '../../../src/core/features/switch/pausing.ts';
import { TASK_KINDS } from '../../../src/core/model/kind.ts';
import { SILENT } from '../../../src/core/ports/output.ts';
import type { Meddler, Stage } from '../../act/stage.ts';
import { EVERYTHING } from '../../support/everything.ts';
import { fixedLimiter } from '../../support/fixed-limiter.ts';

/** `tradeform pause --all` of the project core, in process, with every request in the test's hands. `most`: how long, in ms. `freezes`: as without `--no-freeze`. */
export function pauseAll(
  stage: Stage,
  over: Partial<PauseAsk> = {},
  meddler?: Meddler,
  most = 300_000,
  freezes = false,
): Promise<(PauseResult & { readonly frozen: Diagnostic | undefined }) | 'crashed'> {
  const { signal } = new AbortController();
  return stage.run(async ({ api, clock }) => {
    const requests = new Requests(api, clock, signal, () => true);
    const freeze = freezes ? new PauseFreeze('core', requests, signal) : undefined;
    const result = await pauseChosen(
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
        freeze,
      },
    );
    return { ...result, frozen: await freeze?.end() };
  }, meddler);
}
