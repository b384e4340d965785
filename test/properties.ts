import fc from 'fast-check';

/**
 * fast-check with one seed, so that `npm test` says the same twice about the same commit. The nightly run
 * (`npm run night`) draws a new seed each time; fast-check prints the seed of a failure.
 */
if (process.env.TRADEFORM_TEST !== 'full') fc.configureGlobal({ seed: 1, ...fc.readConfigureGlobal() });

export { default } from 'fast-check';
