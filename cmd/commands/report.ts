import type { Command } from 'commander';
import type { ReportOptions } from '../../src/features/report/report.ts';
import type { Choose } from '../invocation.ts';
import { runs } from '../options.ts';

export function addReport(program: Command, choose: Choose): void {
  const declared = program
    .command('report')
    .description('show a saved document (-o json) as a page for a browser; sends nothing')
    .argument('<document>', 'what -o json, --report json=FILE or plan --out wrote')
    .requiredOption('--html <file>', 'write the page to this file');
  runs<ReportOptions, string>(
    declared,
    choose,
    { formats: ['text', 'json'] },
    async (options, io, document) =>
      (await import('../../src/features/report/report.ts')).runReport(document, options, io),
  );
}
