/** The form of a text that a CI runner may read. */
export type GuardedAs = 'text' | 'json' | 'xml';

/**
 * The start of a line that GitHub's runner reads as a command: `::set-output name=x::y`. The runner skips white space before
 * it, as .NET defines white space.
 */
const AT_LINE_START = /(^|[\r\n])((?:[^\S\r\n]|\u0085)*):(?=:)/g;
/** The runner's former command syntax, anywhere in a line: `##[set-output name=x]y`. */
const ANYWHERE = /##\[(?=[A-Za-z-]+[ \]])/g;
/** What a colon at the start of a line becomes. JSON has none there. */
const COLON: Readonly<Record<GuardedAs, string>> = { text: ': ', json: ': ', xml: '&#58;' };
const OPEN: Readonly<Record<GuardedAs, string>> = { text: '## [', json: '##\\u005b', xml: '##&#91;' };
/**
 * Prevents GitHub's runner from reading text of others as commands (HAZARDS 48), for one stream whose pieces arrive in order.
 * JSON and XML keep their meaning. Text gets a space.
 */
export function workflowGuard(as: GuardedAs): (text: string) => string {
  let atLineStart = true;
  return (text) => {
    if (text === '') return text;
    const guarded = text
      .replace(AT_LINE_START, (found, start: string, blank: string, at: number) =>
        at === 0 && start === '' && !atLineStart ? found : `${start}${blank}${COLON[as]}`,
      )
      .replace(ANYWHERE, OPEN[as]);
    const blank = text.slice(text.trimEnd().length);
    atLineStart = /[\r\n]/.test(blank) || (blank === text && atLineStart);
    return guarded;
  };
}
