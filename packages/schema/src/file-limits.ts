const KiB = 1024
const MiB = 1024 * KiB

/** Bounds of the work on files; overfilled by `packages/daemon/test/files`. */
export const fileLimits = {
  /** A path that a client names, as the system has it. */
  pathBytes: 4_095,
  /** Entries of one page of a listing; the rest is at `x-next-cursor`. */
  entriesPage: 100_000,
  /** Folders below one another in a listing. */
  entriesDepth: 64,
  /** Folders that are open at once because one is inside the other: deeper trees are refused, not half done. */
  treeDepth: 256,
  /** What is read of a file, or sent of one, at once; what is not larger is sent whole, with its length. */
  chunkBytes: 256 * KiB,
  /** Of what a copy or an upload leaves out, so many are named; all are counted. */
  skippedNamed: 1_000,
  /** An ignore file; a larger one is not read. */
  ignoreFileBytes: 1 * MiB,
  /** A client that neither sends nor takes a byte of a file for so long is given up. */
  transferStallMs: 120_000,
} as const
