import { interruption, orStopped } from '../../command/interruption.ts';
import type { Io } from '../../command/io.ts';
import { CommandFailure } from '../../diagnostics/diagnostic.ts';
import { isLabel, type LiveLabel } from '../../model/resource.ts';
import { traverse } from '../../service/resources/pages.ts';
import type { OperatorContext } from './context.ts';

/** The labels of the account. Fails with exit 1 if they cannot be read, and with 130 after an interruption. */
export async function liveLabels(
  { session: { api, limiter } }: OperatorContext,
  io: Io,
): Promise<readonly LiveLabel[]> {
  const reading = traverse(
    { collection: 'label', filter: {} },
    { api, limiter, cancelled: () => io.stop.soft.aborted },
  );
  const result = await orStopped(reading, io.stop.soft);
  if (result === undefined) throw interruption();
  if (!result.ok) {
    if (result.diagnostic === undefined) throw interruption();
    throw new CommandFailure(1, [result.diagnostic]);
  }
  return [...result.traversal.items.values()].filter(isLabel);
}
