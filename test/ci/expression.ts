/** What `${{ }}` can name: `github`, `inputs`, `secrets`, … */
export type Contexts = Readonly<Record<string, unknown>>;

/** The text with its `${{ }}` evaluated, as far as the files of this repository use them. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_all, expression: string) =>
    String(evaluate(expression, contexts) ?? ''),
  );
}

/** `||`, `&&`, `==`, `!=`, quoted texts, names with dots, `fromJSON(name).name[0]` `always()` and `!cancelled()`; `&&` before `||`, no brackets. */
export function evaluate(expression: string, contexts: Contexts): unknown {
  const either = expression.split('||');
  if (either.length > 1) return either.map((part) => evaluate(part, contexts)).find(Boolean) ?? '';
  const both = expression.split('&&');
  if (both.length > 1) {
    const [first = '', ...rest] = both;
    return evaluate(first, contexts) && evaluate(rest.join('&&'), contexts);
  }
  const [, left = '', operator, right = ''] = /^(.*?)([!=]=)(.*)$/.exec(expression) ?? [];
  if (operator !== undefined) {
    return (evaluate(left, contexts) === evaluate(right, contexts)) === (operator === '==');
  }
  const atom = expression.trim();
  const quoted = /^'(.*)'$/.exec(atom)?.[1];
  if (quoted !== undefined) return quoted;
  // Nobody cancels the runs of the tests.
  if (atom === '!cancelled()' || atom === 'always()') return true;
  const [, json = '', path = ''] = /^fromJSON\(([\w.-]+)\)((?:\.\w+|\[\d+\])*)$/.exec(atom) ?? [];
  if (json !== '') {
    const read: unknown = JSON.parse(String(evaluate(json, contexts)));
    return evaluate(`read${path.replace(/\[(\d+)\]/g, '.$1')}`, { read });
  }
  if (!/^[a-z][\w.-]*$/i.test(atom)) throw new Error(`an expression that the tests do not know: ${atom}`);
  return atom
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], contexts);
}
