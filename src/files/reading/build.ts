/** Put in by the bundler: a hash of everything that reading rests on. Not there when the source runs unbundled. */
declare const TRADEFORM_BUILD: string | undefined;

export const BUILD: string | undefined = typeof TRADEFORM_BUILD === 'string' ? TRADEFORM_BUILD : undefined;
