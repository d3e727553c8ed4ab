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
  /** Entries of an archive that is unpacked, and those that the answer names. */
  archiveEntries: 1_000_000,
  archiveNamed: 1_000,
  /** One header of an archive with long names and the like; pieces of a file with holes. */
  archiveHeaderBytes: 1 * MiB,
  sparsePieces: 100_000,
  /** A file of an archive up to this is held whole, and several are written or read at once. */
  smallFileBytes: 64 * KiB,
  smallFilesAtOnce: 32,
  /** Folders that are kept open while an archive is unpacked. */
  openFolders: 64,
  /** Folders watched at once for all clients, and folders in one of them; changes that wait for a client before it is told to look again. */
  watches: 64,
  watchedFolders: 200_000,
  watchWaiting: 20_000,
  /** Searches at once; what one gives at most, and what a client gets unasked. */
  searches: 16,
  searchMatches: 10_000,
  searchMatchesDefault: 1_000,
  /** A larger file is not searched; a longer line is cut; lines around a match. */
  searchFileBytes: 32 * MiB,
  searchLineChars: 1_000,
  searchContext: 10,
  searchPatternChars: 1_000,
  /** Matches that wait for their client before the search waits, too. */
  searchWaiting: 1_000,
  /** A client that neither sends nor takes a byte of a file for so long is given up. */
  transferStallMs: 120_000,
} as const
