import type { ApplyReport } from '../../src/core/model/generated/report.ts';

/** The record of a run of which a test says nothing. */
export const RECORD: ApplyReport['record'] = {
  command: 'apply',
  options: [],
  commit: null,
  author: null,
  dirty: false,
  base: null,
  by: { name: 'mira', claimed_by: 'system' },
  why: { subjects: [], run: null, reason: null },
  approval: { from: 'auto-approve', digest: null },
  exposure: { before: '0', after: '0' },
};
