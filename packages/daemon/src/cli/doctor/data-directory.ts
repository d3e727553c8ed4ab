import { randomBytes } from "node:crypto"
import { mkdir, rm, stat, statfs, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import type { ServerConfig } from "../config.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning, failed } = findingsOf("data directory")

/** With less than this an install or a long session may not fit. */
const LITTLE_GIB = 1

/** Whether the daemon can keep its log: rights, and room. */
export async function dataDirectoryFindings({ dataDir, store }: ServerConfig): Promise<Finding[]> {
  if (store === "memory") return [ok("place", "none: the store is in memory")]
  const found = await stat(dataDir).catch(() => undefined)
  if (found !== undefined && !found.isDirectory())
    return [failed("place", `${dataDir} is not a folder`, "Name another one with --data-dir, or move it away.")]
  const place = found === undefined ? await nearest(dataDir) : dataDir
  return [
    ok("place", found === undefined ? `${dataDir} (made at the first start)` : dataDir),
    ...(found === undefined ? [] : rightsOf(dataDir, found.mode)),
    await writable(place),
    await room(place),
  ]
}

/** What is there already of the way to it: the directory will be made in that, if it is a folder. */
async function nearest(path: string): Promise<string> {
  const above = dirname(path)
  const found = await stat(above).catch(() => undefined)
  return found !== undefined || above === path ? above : nearest(above)
}

function rightsOf(dataDir: string, mode: number): Finding[] {
  if ((mode & 0o077) === 0) return [ok("rights", "open to its owner alone")]
  const detail = `others on this machine may look into it (mode ${(mode & 0o777).toString(8)})`
  return [warning("rights", detail, `Run \`chmod 700 ${shellWord(dataDir)}\`.`)]
}

async function writable(folder: string): Promise<Finding> {
  const probe = join(folder, `.doctor-${process.pid}-${randomBytes(4).toString("hex")}`)
  try {
    await mkdir(probe)
    await writeFile(join(probe, "file"), "x").finally(() => rm(probe, { recursive: true, force: true }))
    return ok("writable", "yes")
  } catch (error) {
    const hint = "Give this user the right to write there, or name another folder with --data-dir."
    return failed("writable", `cannot write in ${folder}: ${messageOf(error)}`, hint)
  }
}

async function room(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder)
  const free = (bavail * bsize) / 1024 ** 3
  const detail = `${free.toFixed(1)} GiB free`
  if (free >= LITTLE_GIB) return ok("space", detail)
  return warning("space", detail, "Make room: agents need some hundred megabytes each, and sessions grow.")
}
