/** What XML 1.0 has no way to write, not even as a reference. */
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text for an attribute, or for one line of an element. */
export function xmlText(text: string): string {
  return text
    .replace(ILLEGAL, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/[&<>"'\t\n\r]/g, (character) => ENTITIES[character] ?? character);
}

/** An element; `content` is XML already, and none makes it an empty one. */
export function xmlElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: readonly string[] = [],
): string {
  const written = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${xmlText(String(value))}"`],
  );
  const start = `<${name}${written.join('')}`;
  return content.length === 0 ? `${start}/>` : `${start}>${content.join('')}</${name}>`;
}

/** Elements below each other, a step further in. */
export function xmlBlock(elements: readonly string[], indent: string): readonly string[] {
  if (elements.length === 0) return [];
  return [`\n${elements.map((element) => `${indent}  ${element}`).join('\n')}\n${indent}`];
}
