/** @returns contents by path; throws Error with a file that cannot be bundled */
export declare function bundleOf(options: {
  /** Paths of the module to bundle, and of the bundle. */
  readonly entry: string;
  readonly file: string;
  /** Returns the text of a module by its path. */
  readonly compiled: (file: string) => string;
  /** Commands that the module loads from the folder `commands` beside it. */
  readonly commands: readonly string[];
}): Promise<[file: string, contents: Uint8Array][]>;
