import type { AccountPin } from '../desired/project.ts';

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
  /** The account that the fleet file pins, beside what the project file pins. */
  readonly pinned?: AccountPin | undefined;
}

/** `--environment`, else `TRADEFORM_ENVIRONMENT`; an empty variable is none, as CI systems set unknown secrets. */
export function chosenEnvironment(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return option ?? (env.TRADEFORM_ENVIRONMENT || undefined);
}
