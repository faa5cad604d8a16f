/** Folders whose TypeScript is compiled to dist/, relative to the package. */
export declare const SOURCES: readonly string[];
/** Folders and files that the contents of dist/ depend on, relative to the package. */
export declare const INPUTS: readonly string[];
export declare function filesBelow(folder: string): string[];
/** @param list returns the files of a folder */
export declare function stateOf(
  paths: readonly string[],
  list?: (folder: string) => readonly string[],
): string;
export declare function sayWait(): void;
export declare function update(file: string, contents: string | Uint8Array): void;
export declare function updateDist(options: {
  readonly dist: string;
  readonly lock: string;
  /** Contents by path. */
  readonly compile: () => Promise<ReadonlyMap<string, string | Uint8Array>>;
  /** Which of the other files remain. */
  readonly kept: (others: readonly string[]) => readonly string[];
  readonly onWait: () => void;
}): Promise<void>;
export declare function buildAndUse(options: {
  /** Paths of folders and files. */
  readonly sources: readonly string[];
  readonly lock: string;
  readonly build: () => Promise<void> | void;
}): Promise<() => void>;
export declare function useDist(lock: string): Promise<() => void>;
