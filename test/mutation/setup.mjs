import fc from 'fast-check';

/** The same cases for every mutant, which is done for with the first counterexample: it need not be small. */
fc.configureGlobal({ endOnFailure: true, seed: 1 });
