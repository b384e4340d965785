/** The name of the manifest that this text is. */
export function nameOf(text: string): string | undefined {
  return /\bname: ([a-z0-9-]+)/.exec(text)?.[1];
}

/** The text with the line in place of one that has its key, or as the first of its parent. */
export function withLine(text: string, parent: string, line: string): string {
  const key = line.slice(0, line.indexOf(':'));
  const there = new RegExp(`^  ${key}: .*$`, 'm');
  if (there.test(text)) return text.replace(there, `  ${line}`);
  return text
    .replace(/^metadata: \{ (.*) \}$/m, (_all, fields: string) => `metadata:\n  ${fields}`)
    .replace(new RegExp(`^${parent}:\n`, 'm'), `${parent}:\n  ${line}\n`);
}
