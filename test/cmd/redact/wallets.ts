import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';

/** An address that stands for one place: whoever finds it in an output knows where it came from. */
export function canary(place: string): string {
  const address = base58.encode(createHash('sha256').update(place).digest());
  PLACES.set(address, place);
  return address;
}

/** An address of at most 34 characters: a remark has no more room beside the longest marker of task `a` in project `core`. */
export function shortCanary(place: string): string {
  const bytes = new Uint8Array(32);
  bytes.set(createHash('sha256').update(place).digest().subarray(0, 4), 28);
  const address = base58.encode(bytes);
  PLACES.set(address, place);
  return address;
}

/** A changed letter in the middle, which base58 does not have: no address any more, and still as good as one. */
export function damaged(address: string, letter = '0'): string {
  return `${address.slice(0, 20)}${letter}${address.slice(21)}`;
}

const PLACES = new Map<string, string>();
const PART = 10;

/** The places whose address stands in the text whole. */
export function placesIn(text: string): readonly string[] {
  return [...PLACES].filter(([address]) => text.includes(address)).map(([, place]) => place);
}

/** The places of which the text has any part of an address, ten characters long. */
export function tracesIn(text: string): readonly string[] {
  return [...PLACES]
    .filter(([address]) => {
      // The shortest begin with the same ones.
      const own = address.replace(/^1+/, '');
      return parts(own).some((part) => text.includes(part));
    })
    .map(([, place]) => place);
}

function parts(text: string): readonly string[] {
  if (text.length <= PART) return [text];
  return Array.from({ length: text.length - PART + 1 }, (_, index) => text.slice(index, index + PART));
}

/** Test files of one worker share the places: who plants more than the fixture takes its own away at its end. */
export function forgetPlaces(places: readonly string[]): void {
  for (const [address, place] of PLACES) if (places.includes(place)) PLACES.delete(address);
}

export function allPlaces(): readonly string[] {
  return [...PLACES.values()];
}
