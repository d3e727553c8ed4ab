const MiB = 1024 * 1024

/** Every bound of installing. To be moved to `limits.ts` of the schema when it is wired. */
export const installBounds = {
  /** One download, and all that is unpacked from it. */
  downloadBytes: 1024 * MiB,
  unpackedBytes: 4096 * MiB,
  unpackedFiles: 50_000,
  /** A version file, a manifest, a list of digests. */
  metadataBytes: 4 * MiB,
  redirects: 5,
  /** Until the first byte of an answer; between two pieces of one; for the whole of one. */
  answerMs: 20_000,
  stallMs: 30_000,
  downloadMs: 20 * 60_000,
  /** The package manager: asked for a version, and for a whole install. */
  npmResolveMs: 30_000,
  npmInstallMs: 15 * 60_000,
  /** One version command; what a list waits for it; what an install waits for the new program. */
  versionMs: 20_000,
  versionListMs: 1_500,
  versionOutputLines: 50,
  /** Waiting for an install that another process does. */
  lockMs: 30 * 60_000,
  lockRetryMs: 100,
  /** At least between two reports of progress in one phase. */
  progressMs: 100,
  /** Lines of a package manager's errors that a message repeats, and their characters. */
  failureLines: 6,
  failureChars: 600,
} as const

export type InstallBounds = { -readonly [K in keyof typeof installBounds]: number }
