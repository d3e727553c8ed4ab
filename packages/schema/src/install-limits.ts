const MiB = 1024 * 1024

/** Bounds of installing agents; overfilled by `packages/daemon/test/install`. */
export const installLimits = {
  /** One download. */
  downloadBytes: 1024 * MiB,
  /** All that is unpacked from a download. */
  unpackedBytes: 4096 * MiB,
  /** Files that are unpacked from a download. */
  unpackedFiles: 50_000,
  /** A version file, a manifest, a list of digests. */
  metadataBytes: 4 * MiB,
  /** Redirects of one download. */
  redirects: 5,
  /** Until the first byte of an answer. */
  answerMs: 20_000,
  /** Between two pieces of an answer. */
  stallMs: 30_000,
  /** A whole download. */
  downloadMs: 20 * 60_000,
  /** The package manager is asked for a version. */
  npmResolveMs: 30_000,
  /** The package manager installs. */
  npmInstallMs: 15 * 60_000,
  /** One version command of a program. */
  versionMs: 20_000,
  /** What a list of agents waits for a version command. */
  versionListMs: 1_500,
  /** How long it is known where a program is, before it is looked for again. */
  lookedMs: 5_000,
  /** Lines that a version command or the package manager may print. */
  versionOutputLines: 50,
  /** Waiting for an install that another process does. */
  lockMs: 30 * 60_000,
  /** How often that install is looked at. */
  lockRetryMs: 100,
  /** At least between two reports of progress in one phase. */
  progressMs: 100,
  /** Lines of a package manager's errors that a message repeats. */
  failureLines: 6,
  /** Characters of these lines, all together. */
  failureChars: 600,
} as const

export type InstallLimits = { -readonly [K in keyof typeof installLimits]: number }
