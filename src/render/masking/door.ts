import type { Masking } from './masking.ts';

/** A stream through which no secret passes, even if the secret is split over two writes. */
interface Door {
  write(text: string): void;
  /** Writes what was held back because it may have been the beginning of a secret. */
  flush(): void;
}

export function openDoor(masking: Pick<Masking, 'text' | 'begins'>, write: (text: string) => void): Door {
  let kept = '';
  const letOut = (text: string) => {
    if (text !== '') write(masking.text(text));
  };
  return {
    write(text) {
      const whole = kept + text;
      const end = whole.length - masking.begins(whole);
      kept = whole.slice(end);
      letOut(whole.slice(0, end));
    },
    flush() {
      const rest = kept;
      kept = '';
      letOut(rest);
    },
  };
}
