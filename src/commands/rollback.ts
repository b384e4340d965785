import { paragraph } from '../render/layout.ts';
import { visible } from '../render/untrusted.ts';
import { type ApplyOptions, runApply } from './apply.ts';
import type { Io } from './io.ts';

/**
 * `tradeform rollback REV`: plans what the manifests of an earlier revision want, shows it, has it approved and carries it
 * out, as `apply` does. Service, account pin and guardrails are those that stand here. Returns the exit code of apply.
 */
export async function runRollback(revision: string, options: ApplyOptions, io: Io): Promise<number> {
  const code = await runApply(undefined, { ...options, at: revision }, io);
  if (options.quiet !== true) {
    const text = `The manifests here still say what they said: revert the commits since ${visible(revision)}, or the next apply goes back.`;
    io.stderr(paragraph(text, io.columns));
  }
  return code;
}
