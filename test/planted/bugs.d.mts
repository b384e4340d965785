export interface PlantedBug {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly put: string;
}

export declare const BUGS: readonly PlantedBug[];
/** Folders of the suite that has to catch them. */
export declare const SUITE: readonly string[];
