/** Options that every command understands (DESIGN 1), as the argument parser hands them over. */
export interface CommonOptions {
  /** `--project FILE`, relative to the working directory; found upward when absent. */
  readonly project?: string;
  readonly environment?: string;
  readonly baseUrl?: string;
  readonly tokenFile?: string;
  readonly output?: string;
  readonly concurrency?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}
