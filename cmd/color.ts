/** What decides whether a stream gets colour. */
interface ColorChoice {
  /** `--no-color` was given. */
  readonly off: boolean;
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Our own decision: Node lets FORCE_COLOR win over NO_COLOR and takes an empty NO_COLOR as set. Colour is for a terminal
 * that knows it, and nothing is guessed from CI or FORCE_COLOR.
 */
export function wantsColor({ off, isTTY, env }: ColorChoice): boolean {
  const noColor = env.NO_COLOR;
  const forced = env.CLICOLOR_FORCE;
  if (off || (noColor !== undefined && noColor !== '')) return false;
  // Asked for in so many words: a pager, a CI log that shows colour, the demo.
  if (forced !== undefined && forced !== '' && forced !== '0') return true;
  return isTTY && env.TERM !== 'dumb';
}
