/**
 * What a project may hold: several times what tens of thousands of tasks need, and little enough that no file of a pull
 * request holds up a run. docs/reference/limits.md has them for users.
 */
export const MOST = {
  /** Bytes of one file. */
  fileBytes: 16 * 1024 * 1024,
  /** Characters of one line. */
  lineLength: 128 * 1024,
  /** Tokens of one document or table: lines, and the signs that make a structure. */
  documentTokens: 400_000,
  /** Of the manifest files together. */
  files: 50_000,
  characters: 64 * 1024 * 1024,
  documents: 100_000,
  tokens: 6_000_000,
  /** Entries of folders that are looked at for manifests. */
  entries: 200_000,
  /** Characters of names compared with characters of patterns, in all. */
  matching: 2_000_000_000,
  /** Tasks, templates and labels, those of all rows of task sets among them. */
  resources: 50_000,
  /** Templates and presets that one manifest takes from, one after the other and in all. */
  depth: 100,
  layers: 100,
  /** Characters of a text once its references are filled in: a request body has no room for more. */
  filledLength: 64 * 1024,
  /** Characters that are merged into each other in all, and what merging anything at all counts for. */
  mergedCharacters: 512 * 1024 * 1024,
  leastMerged: 500,
  /** Environments of a project file. */
  environments: 100,
  /** Policies, entries of another guardrail's list, and characters of a pattern of addresses. */
  policies: 100,
  listed: 10_000,
  addressPattern: 256,
  /** Problems that are told of one file. */
  findings: 100,
  /** Errors, and warnings, that are told of a project. */
  diagnostics: 2_000,
  warnings: 20_000,
  /** Instructions of the patterns of all policies. */
  patternSize: 20_000,
  /** Values of a policy's schema, and steps of checking one document and all of a plan. */
  policySize: 10_000,
  documentSteps: 200_000,
  policySteps: 100_000_000,
} as const;
