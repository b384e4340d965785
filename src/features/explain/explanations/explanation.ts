/** What `tradeform explain --code` says of a code beyond its line in src/diagnostics/codes.ts. */
export interface Explanation {
  readonly means: string;
  readonly matters: string;
  readonly act: string;
  /** A piece of a manifest, or command lines. That of a lint is a piece of a config that it warns of; tests rely on it. */
  readonly example?: string;
}
