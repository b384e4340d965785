import { Masking } from '../src/render/masking/masking.ts';

/**
 * Hides the secrets of this run, and the wallets under `--redact-wallets` or `TRADEFORM_REDACT_WALLETS`. Read from the raw
 * arguments, because a command line that cannot be parsed is reported as well. Nothing turns it off again, and no project file
 * can: a change of the project must not make reports show more.
 */
export async function maskingFor(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Masking> {
  const asked = env.TRADEFORM_REDACT_WALLETS;
  const wanted =
    args.some((arg) => arg.startsWith('--redact-wallets')) || !['', '0', 'false'].includes(asked ?? '');
  if (!wanted) return new Masking();
  const { Redactor } = await import('../src/render/masking/wallets.ts');
  return new Masking(new Redactor());
}
