export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly put: string;
  /** A file or a folder. */
  readonly tests: string;
}

export declare const BUGS: readonly PlantedBug[];
/** Files and folders of tests. */
export declare const SUITE: readonly string[];
