const semver = /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?/
const versionCommands = [["--version"], ["version"], ["-V"]] as const

/** How most programs tell their version. */
export const common = { versionCommands, versionPattern: semver }

/** `{platform}` filled in for each platform. */
export function perPlatform<T>(keys: readonly string[], make: (platform: string) => T): Record<string, T> {
  return Object.fromEntries(keys.map((key) => [key, make(key)]))
}

/** Of a vendor whose words for platforms are ours. */
export const same = (keys: readonly string[]): Record<string, string> => perPlatform(keys, (platform) => platform)
export const glibc = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
export const musl = ["linux-x64-musl", "linux-arm64-musl"]
