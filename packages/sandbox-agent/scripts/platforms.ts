import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dir, "..")

/** Where the executable runs; npm installs the one package of these that fits the machine. */
export const platforms = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "x64", libc: "musl" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "musl" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" },
] as const
export type Platform = (typeof platforms)[number]

/** As the client looks for it (`src/embedded/executable.ts`). */
export const packageOf = (platform: Platform): string =>
  `@sandbox-agent/cli-${platform.os}-${platform.cpu}${"libc" in platform && platform.libc === "musl" ? "-musl" : ""}`

/** Of the same version: a client and its daemon are released together. */
export const platformDependencies = (version: string): Record<string, string> =>
  Object.fromEntries(platforms.map((platform) => [packageOf(platform), version]))

/** The package of a platform: its executable, and for which machines it is. */
export function writePlatformPackage(platform: Platform, executable: string, folder: string): void {
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const { os, cpu } = platform
  mkdirSync(join(folder, "bin"), { recursive: true })
  copyFileSync(executable, join(folder, "bin/sandbox-agent"))
  chmodSync(join(folder, "bin/sandbox-agent"), 0o755)
  copyFileSync(join(root, "../../LICENSE"), join(folder, "LICENSE"))
  const manifest = {
    name: packageOf(platform),
    version,
    description: `The executable of Sandbox Agent for ${os} ${cpu}`,
    license,
    os: [os],
    cpu: [cpu],
    ...("libc" in platform && { libc: [platform.libc] }),
    files: ["bin"],
    preferUnplugged: true,
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

if (import.meta.main) {
  const [name, executable, folder] = process.argv.slice(2)
  const platform = platforms.find((one) => packageOf(one).endsWith(`cli-${name}`))
  if (platform === undefined || executable === undefined || folder === undefined)
    throw new Error(
      `platforms.ts <${platforms.map((one) => packageOf(one).split("cli-")[1]).join("|")}> <executable> <folder>`,
    )
  writePlatformPackage(platform, executable, folder)
  console.log(`${folder}  ${packageOf(platform)}`)
}
