const KiB = 1024
const MiB = 1024 * KiB
const GiB = 1024 * MiB

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
  /** Folders that are made for one path because they are missing. */
  newFolders: 256,
  /** What is read of a file, or sent of one, at once; what is not larger is sent whole, with its length. */
  chunkBytes: 256 * KiB,
  /** Of what a copy or an upload leaves out, so many are named; all are counted. */
  skippedNamed: 1_000,
  /** An ignore file; a larger one is not read. */
  ignoreFileBytes: 1 * MiB,
  /** Entries of an archive that is unpacked; as many folders may be made for them. */
  archiveEntries: 1_000_000,
  /** Entries of an unpacked archive that the answer names. */
  archiveNamed: 1_000,
  /** One header of an archive, with long names and the like. */
  archiveHeaderBytes: 1 * MiB,
  /** Pieces of a file with holes, in an archive. */
  sparsePieces: 100_000,
  /** What the files with holes of an archive are long together: a few bytes of it say any length. */
  sparseBytes: 64 * GiB,
  /** A file of an archive up to this is held whole. */
  smallFileBytes: 64 * KiB,
  /** Small files of an archive that are written or read at once. */
  smallFilesAtOnce: 32,
  /** Folders that are kept open while an archive is unpacked. */
  openFolders: 64,
  /** Folders watched at once for all clients. */
  watches: 64,
  /** Folders inside one watched folder. */
  watchedFolders: 200_000,
  /** Changes that wait for a client before it is told to look again. */
  watchWaiting: 20_000,
  /** Searches at once. */
  searches: 16,
  /** Matches that one search gives, at most. */
  searchMatches: 10_000,
  /** Matches of a search whose request names no limit. */
  searchMatchesDefault: 1_000,
  /** A file that is searched; a larger one is passed over. */
  searchFileBytes: 32 * MiB,
  /** A line that is shown of a match; a longer one is cut. */
  searchLineChars: 1_000,
  /** Of a longer line an expression gets only so much: it may go over it again and again. */
  searchLineLookedAt: 64 * KiB,
  /** Lines shown around a match. */
  searchContext: 10,
  /** The pattern of a search. */
  searchPatternChars: 1_000,
  /** Matches that wait for their client before the search waits, too. */
  searchWaiting: 1_000,
  /** A client that neither sends nor takes a byte of a file for so long is given up. */
  transferStallMs: 120_000,
} as const
