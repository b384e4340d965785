import { Masking } from '../src/render/masking/masking.ts';

/**
 * What hides the secrets of this run, and the wallets where `--redact-wallets` or `TRADEFORM_REDACT_WALLETS` asks for it. Read from the raw arguments: a command line that does not
 * parse is reported as well. Nothing turns it off again, and no file of the project can: reports of a changed project must
 * not show more than those of the project before.
 */
export async function maskingFor(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Masking> {
  const asked = env.TRADEFORM_REDACT_WALLETS;
  const wanted =
    args.some((arg) => arg.startsWith('--redact-wallets')) || !['', '0', 'false'].includes(asked ?? '');
  if (!wanted) return new Masking();
  const { Redactor } = await import('../src/render/masking/wallets.ts');
  return new Masking(new Redactor());
}
