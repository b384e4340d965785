import { afterAll, afterEach, beforeEach } from 'vitest';
import { cleanUp, leftovers } from './support/cleanup.ts';

/** No run of a test keeps its record with those of the person who runs it. */
process.env.TRADEFORM_JOURNAL = '';

/** Before each test file: what the tests open goes by itself. These hooks are the first before a test and the last after it. */
let shared = 0;
beforeEach(() => {
  shared = leftovers();
});
afterEach(() => cleanUp(shared));
afterAll(() => cleanUp(0));
