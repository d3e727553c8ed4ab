import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs"
import { target } from "./daemon.ts"
import { daemonLog } from "./daemon-file.ts"
import { logLines, type Shown } from "./log-lines.ts"
import { isSet, lastOf } from "./parse.ts"
import { note, out, paintFor, terminalOf } from "./print.ts"
import { UsageError } from "./usage.ts"

const defaultLines = 100
const followMs = 200
const blockBytes = 64 * 1024

/** Shows the end of the log, and with --follow what comes after it. */
export async function daemonLogs(argv: string[]): Promise<number> {
  const { parsed, dataDir } = target(argv, "logs")
  const lines = lastOf(parsed, "lines") ?? String(defaultLines)
  if (!/^\d{1,9}$/.test(lines)) throw new UsageError("--lines: a whole number from 0", ["daemon", "logs"])
  const path = daemonLog(dataDir)
  const follow = isSet(parsed, "follow")
  let file = openLog(path)
  if (file === undefined && !follow) {
    await note(`no log at ${path}; the daemon was not started with \`sandbox-agent daemon start\``)
    return 1
  }
  process.once("SIGINT", () => process.exit(130))
  const shown = process.stdout.isTTY ? logLines(paintFor(terminalOf())) : undefined
  let position = file === undefined ? 0 : tailStart(file, Number(lines))
  for (;;) {
    if (file !== undefined) position = await copyFrom(file, position, shown)
    if (!follow) break
    await Bun.sleep(followMs)
    // Turned over or not there yet: the name may mean another file by now.
    const turned = file === undefined || isTurned(path, file, position)
    if (!turned) continue
    if (file !== undefined) {
      await copyFrom(file, position, shown)
      closeSync(file)
    }
    file = openLog(path)
    position = 0
  }
  if (file !== undefined) closeSync(file)
  return 0
}

function openLog(path: string): number | undefined {
  try {
    return openSync(path, "r")
  } catch {
    return undefined
  }
}

function isTurned(path: string, file: number, position: number): boolean {
  try {
    const named = statSync(path)
    return named.ino !== fstatSync(file).ino || named.size < position
  } catch {
    return false
  }
}

/** Where the last `lines` lines begin, found from the end so that a large log costs nothing. */
function tailStart(file: number, lines: number): number {
  const block = Buffer.alloc(blockBytes)
  const { size } = fstatSync(file)
  let found = 0
  if (lines === 0) return size
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes)
    readSync(file, block, 0, end - start, start)
    for (let at = end - 1; at >= start; at--) {
      // The end of the last line does not begin another.
      if (block[at - start] !== 0x0a || at === size - 1) continue
      if (++found === lines) return at + 1
    }
    end = start
  }
  return 0
}

async function copyFrom(file: number, position: number, shown: Shown | undefined): Promise<number> {
  const block = Buffer.alloc(blockBytes)
  let at = position
  for (;;) {
    const read = readSync(file, block, 0, blockBytes, at)
    if (read === 0) return at
    at += read
    const bytes = Uint8Array.prototype.slice.call(block, 0, read)
    await out(shown === undefined ? bytes : shown(bytes))
  }
}
