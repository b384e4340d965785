import { execFileSync } from 'node:child_process';
import { expect, inject, test } from 'vitest';

/** The pages that `explain` reads are part of the package. */
test.each([
  [['--code', 'unknown-wallet'], 'Severity: error.'],
  [['copy-trade.spec.config.dev_sell_only'], 'Rules: needs-pump-fun'],
])('%j is explained by the installed package', (args, text) => {
  const answer = execFileSync(process.execPath, [inject('tradeform'), 'explain', ...args], {
    cwd: '/',
    encoding: 'utf8',
  });
  expect(answer).toContain(text);
});
