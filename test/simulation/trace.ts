import { crc32 } from 'node:zlib';

/** Everything that happens in a run, as one number; with `keep` also as text. */
export class Trace {
  readonly lines: string[] = [];
  private sum = 0;
  private readonly keep: boolean;

  constructor(keep: boolean) {
    this.keep = keep;
  }

  get hash(): number {
    return this.sum >>> 0;
  }

  /** `detail` counts for the hash and is not kept. */
  note(line: string, detail = ''): void {
    this.sum = crc32(line, this.sum);
    if (detail !== '') this.sum = crc32(detail, this.sum);
    if (this.keep) this.lines.push(line);
  }
}
