const MiB = 1024 * 1024

/** Bounds of what is configured for directories; overfilled by `packages/daemon/test/config`. */
export const configLimits = {
  /** MCP servers, and entries of skills, of one directory. */
  directoryEntries: 64,
  /** Entries of all directories. */
  entries: 10_000,
  /** One entry as JSON text: files of skills can be given in it. */
  entryBytes: 4 * MiB,
  /** The longest that an agent may be told to wait for an MCP server. */
  mcpTimeoutMs: 600_000,
  /** Sources of one entry of skills. */
  sources: 32,
  /** Files that one source of skills can hold inline. */
  inlineFiles: 200,
  /** Fetching a repository of skills. */
  fetchMs: 120_000,
  /** The largest file that is written for a repository of skills; its history is not fetched. */
  packBytes: 256 * MiB,
  /** Files that are checked out of a repository of skills. */
  treeFiles: 20_000,
  /** Bytes that are checked out of a repository of skills. */
  treeBytes: 256 * MiB,
  /** What was fetched and nobody names any more is kept so long for a session that is being made of it. */
  keptMs: 10 * 60_000,
} as const

export type ConfigLimits = { -readonly [K in keyof typeof configLimits]: number }
