/** How a text is written that a CI runner may read. */
export type GuardedAs = 'text' | 'json' | 'xml';

/**
 * A line that begins like this is a command to GitHub's runner: `::set-output name=x::y`. It looks past white space, what
 * .NET holds for such included.
 */
const AT_LINE_START = /(^|[\r\n])((?:[^\S\r\n]|\u0085)*):(?=:)/g;
/** The runner's former commands, anywhere in a line: `##[set-output name=x]y`. */
const ANYWHERE = /##\[(?=[A-Za-z-]+[ \]])/g;
const OPEN: Readonly<Record<GuardedAs, string>> = { text: '## [', json: '##\\u005b', xml: '##&#91;' };
/**
 * Keeps text of others from being taken for commands of GitHub's runner (HAZARDS 48), for one stream whose pieces come in
 * order. JSON and XML mean the same afterwards; text gets a space.
 */
export function workflowGuard(as: GuardedAs): (text: string) => string {
  let atLineStart = true;
  return (text) => {
    if (text === '') return text;
    const guarded = text
      .replace(AT_LINE_START, (found, start: string, blank: string, at: number) =>
        at === 0 && start === '' && !atLineStart ? found : `${start}${blank}: `,
      )
      .replace(ANYWHERE, OPEN[as]);
    const blank = text.slice(text.trimEnd().length);
    atLineStart = /[\r\n]/.test(blank) || (blank === text && atLineStart);
    return guarded;
  };
}
