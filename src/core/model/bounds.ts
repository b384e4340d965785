/**
 * Limits of a project: several times what tens of thousands of tasks need, and small enough that no file of a pull
 * request blocks a run. docs/reference/limits.md lists them for users.
 */
export const MOST = {
  /** Bytes of one file. */
  fileBytes: 16 * 1024 * 1024,
  /** Characters of one line. */
  lineLength: 128 * 1024,
  /** Tokens of one document or table: lines, and the signs that make a structure. */
  documentTokens: 400_000,
  /** Totals over all manifest files. */
  files: 50_000,
  characters: 64 * 1024 * 1024,
  documents: 100_000,
  tokens: 6_000_000,
  /** Folder entries that are examined in the search for manifests. */
  entries: 200_000,
  /** Characters of names times characters of patterns that are compared, in total. */
  matching: 2_000_000_000,
  /** Tasks, templates and labels, those of all rows of task sets among them. */
  resources: 50_000,
  /** Templates and presets that one manifest extends: in one chain, and in total. */
  depth: 100,
  layers: 100,
  /** Characters of a text after its references are replaced: a request body has no room for more. */
  filledLength: 64 * 1024,
  /** Characters that are merged, in total, and the minimum that each merge counts for. */
  mergedCharacters: 512 * 1024 * 1024,
  leastMerged: 500,
  /** Environments of a project file. */
  environments: 100,
  /** Policies, entries of another guardrail's list, and characters of a pattern of addresses or of a wildcard. */
  policies: 100,
  listed: 10_000,
  addressPattern: 256,
  /** Problems that are reported for one file. */
  findings: 100,
  /** Errors, and warnings, that are reported for a project. */
  diagnostics: 2_000,
  warnings: 20_000,
  /** Values of a policy's schema, and steps of checking one document and a whole plan. */
  policySize: 10_000,
  documentSteps: 200_000,
  policySteps: 100_000_000,
} as const;
