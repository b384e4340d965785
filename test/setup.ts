import { afterAll, afterEach, beforeEach } from 'vitest';
import { cleanUp, leftovers } from './support/cleanup.ts';

/** Before each test file: what the tests open goes by itself. These hooks are the first before a test and the last after it. */
let shared = 0;
beforeEach(() => {
  shared = leftovers();
});
afterEach(() => cleanUp(shared));
afterAll(() => cleanUp(0));
