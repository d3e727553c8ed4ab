import { mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"

const run = (...command: string[]): boolean => Bun.spawnSync(command, { stderr: "ignore" }).exitCode === 0

/** A file system of its own, so that it can be full or read-only for real. */
export function disk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-disk-"))
  if (!run("mount", "-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder)) throw new Error("tmpfs could not be mounted")
  onTestFinished(() => {
    run("umount", "-l", folder)
    rmdirSync(folder)
  })
  return folder
}

export const remountReadOnly = (folder: string): boolean => run("mount", "-o", "remount,ro", folder)

/** Whether we may: it takes root. */
export const mountable = (() => {
  const probe = mkdtempSync(join(tmpdir(), "sandbox-agent-probe-"))
  const works = run("mount", "-t", "tmpfs", "tmpfs", probe) && run("umount", probe)
  rmdirSync(probe)
  return works
})()
