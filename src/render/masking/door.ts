import type { Masking } from './masking.ts';

/** A stream through which nothing secret gets, also where it is split over two writes. */
interface Door {
  write(text: string): void;
  /** Lets out what was kept back because it may have been the beginning of something secret. */
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
