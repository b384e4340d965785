import { firstInvisible } from '../../manifest/invisible.ts';

/** The text without what a manifest may not hold in a name or remark: characters that nobody sees. */
function sayable(text: string): string {
  let kept = text;
  for (let found = firstInvisible(kept); found !== undefined; found = firstInvisible(kept)) {
    kept = kept.replaceAll(found.character, '');
  }
  return kept.trim();
}

/** The note of a remark as a manifest can say it; one that would be read as a marker is made harmless. */
export function sayableNote(note: string): string {
  return sayable(note).replaceAll('[git:', '(git:');
}
