import { randomBytes } from "node:crypto"
import { mkdir, readdir, readlink, rename, rm, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { z } from "zod"
import { Confinement } from "../files/confinement.ts"
import { readRegular } from "../files/regular-file.ts"

/** What stands in every finished install, as `installation.json`. A folder without it does not count. */
const RecordSchema = z.object({
  agent: z.string(),
  version: z.string(),
  source: z.enum(["npm", "vendor"]),
  /** Package with version, or address. */
  origin: z.string(),
  digest: z.string().optional(),
  runtime: z.enum(["native", "bun"]),
  /** The program, relative to this folder, and its size: a file cut by a full disk is noticed. */
  program: z.string(),
  programBytes: z.number(),
  installedAt: z.string(),
})
export type InstallRecord = z.infer<typeof RecordSchema>

export interface ManagedInstall extends InstallRecord {
  /** The folder's own name, the version, or `version~n` for one that was installed again. */
  folder: string
  path: string
}

const recordName = "installation.json"
const stagingPrefix = ".staging-"
const currentName = "current"

/** The folder of one agent: `<version>/`, `current` → one of them, and what is not finished yet. */
export class ManagedFolder {
  constructor(
    readonly root: string,
    readonly agent: string,
  ) {}

  get directory(): string {
    return join(this.root, this.agent)
  }

  /** What people type to start the current version, where its program needs a runtime. */
  get launcher(): string {
    return join(this.directory, `start-${this.agent}`)
  }

  async current(): Promise<ManagedInstall | undefined> {
    const folder = await readlink(join(this.directory, currentName)).catch(() => undefined)
    return folder === undefined ? undefined : this.#read(folder)
  }

  /** Every finished install, newest first. */
  async all(): Promise<ManagedInstall[]> {
    const names = await readdir(this.directory).catch((): string[] => [])
    const found = await Promise.all(names.map((name) => this.#read(name)))
    return found.filter((one) => one !== undefined).sort((a, b) => (a.installedAt < b.installedAt ? 1 : -1))
  }

  async ofVersion(version: string): Promise<ManagedInstall | undefined> {
    const current = await this.current()
    return current?.version === version ? current : (await this.all()).find((one) => one.version === version)
  }

  async staging(): Promise<string> {
    const path = join(this.directory, `${stagingPrefix}${randomBytes(6).toString("hex")}`)
    await mkdir(path, { recursive: true })
    return path
  }

  /** What a killed install left behind. Only for the holder of the lock. */
  async sweep(): Promise<void> {
    const names = await readdir(this.directory).catch((): string[] => [])
    const left = names.filter((name) => name.startsWith("."))
    await Promise.all(left.map((name) => rm(join(this.directory, name), { recursive: true, force: true })))
  }

  /** The whole folder comes into place at once. One of the same version that may be running stays where it is. */
  async place(staging: string, record: InstallRecord): Promise<ManagedInstall> {
    await writeFile(join(staging, recordName), `${JSON.stringify(record, null, 2)}\n`)
    for (let n = 1; ; n++) {
      const folder = n === 1 ? record.version : `${record.version}~${n}`
      const path = join(this.directory, folder)
      if (await stat(path).catch(() => undefined)) continue
      await rename(staging, path)
      return { ...record, folder, path: join(path, record.program) }
    }
  }

  async makeCurrent({ folder }: ManagedInstall): Promise<void> {
    const fresh = join(this.directory, `.current-${randomBytes(6).toString("hex")}`)
    await symlink(folder, fresh)
    await rename(fresh, join(this.directory, currentName))
  }

  async remove(folder: string): Promise<void> {
    const gone = join(this.directory, `.gone-${randomBytes(6).toString("hex")}`)
    // First out of sight, whole: a removal cut in the middle leaves nothing that counts.
    await rename(join(this.directory, folder), gone)
    await rm(gone, { recursive: true, force: true })
  }

  async #read(folder: string): Promise<ManagedInstall | undefined> {
    if (!/^\d[^/]*$/.test(folder)) return undefined
    try {
      const file = join(this.directory, folder, recordName)
      const bytes = await readRegular(file, limits.settingsFileBytes, new Confinement())
      const record = RecordSchema.parse(JSON.parse(bytes.toString("utf8")))
      const path = join(this.directory, folder, record.program)
      return (await stat(path)).size === record.programBytes ? { ...record, folder, path } : undefined
    } catch {
      return undefined
    }
  }
}
