import type { Redactor } from '../src/render/redact.ts';

/**
 * What `--redact-wallets` or `TRADEFORM_REDACT_WALLETS` asks for. Read from the raw arguments: a command line that does not
 * parse is reported as well. Nothing turns it off again, and no file of the project can: reports of a changed project must
 * not show more than those of the project before.
 */
export async function redactorFor(args: readonly string[]): Promise<Redactor | undefined> {
  const asked = process.env.TRADEFORM_REDACT_WALLETS;
  const wanted =
    args.some((arg) => arg.startsWith('--redact-wallets')) || !['', '0', 'false'].includes(asked ?? '');
  if (!wanted) return undefined;
  const { Redactor } = await import('../src/render/redact.ts');
  return new Redactor();
}
