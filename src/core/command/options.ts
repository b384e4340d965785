import { usage } from '../diagnostics/diagnostic.ts';
import type { AccountPin } from '../model/resource.ts';
import type { Deadline } from '../ports/stop.ts';

/** Options of every command (DESIGN 1), as the argument parser returns them. */
export interface CommonOptions {
  /** `--project FILE`, relative to the working directory. Without it, the search goes upward. */
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly output?: string | undefined;
  readonly concurrency?: number | undefined;
  /** How long the command may take. It is counted already, except by `pause`. */
  readonly deadline?: Deadline | undefined;
  readonly quiet?: boolean | undefined;
  readonly verbose?: boolean | undefined;
  /** The account that the fleet file pins, in addition to the pin of the project file. */
  readonly pinned?: AccountPin | undefined;
  /** The run is that of a unit of a fleet: nothing is sent before its manifests are right. */
  readonly inFleet?: true | undefined;
}

/**
 * `--environment`, else `TRADEFORM_ENVIRONMENT`. An empty variable counts as unset, because CI systems set unknown secrets to
 * the empty string.
 */
export function chosenEnvironment(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return option ?? (env.TRADEFORM_ENVIRONMENT || undefined);
}

/** Fails with exit 3 if one of the other options is given together with `option`. */
export function refuseTogether<Options extends object>(
  option: string,
  options: Options,
  others: readonly (keyof Options & string)[],
  ...[why, hint]: readonly [why: string, hint: string]
): void {
  const dashed = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const names = others.filter((name) => options[name] !== undefined).map(dashed);
  if (names.length > 0) throw usage(`${option} cannot be combined with ${names.join(', ')}, ${why}`, hint);
}
