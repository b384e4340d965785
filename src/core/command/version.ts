/** The bundler sets it from package.json. Undefined when the source runs unbundled. */
declare const TRADEFORM_VERSION: string | undefined;

export const VERSION: string = typeof TRADEFORM_VERSION === 'string' ? TRADEFORM_VERSION : '0.0.0-source';
