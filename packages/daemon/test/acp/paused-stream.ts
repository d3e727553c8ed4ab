import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { halt } from "../supervisor/processes.ts"

/** A stream whose client is a stopped process: its socket is open and nothing is taken from it, until it goes on. */
export function paused(
  daemon: { url: string; token: string },
  path: string,
  headers: Record<string, string> = {},
  /** The last that it takes; without it, whatever comes first. */
  last: string = "",
) {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-paused-"))
  const file = join(folder, "stream.sse")
  const all = { accept: "text/event-stream", authorization: `Bearer ${daemon.token}`, ...headers }
  const flags = Object.entries(all).flatMap(([name, value]) => ["-H", `${name}: ${value}`])
  const child = Bun.spawn(["curl", "-sN", ...flags, "-o", file, daemon.url + path], {
    stdio: ["ignore", "ignore", "ignore"],
  })
  onTestFinished(() => {
    child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })
  const size = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const until = async (condition: () => boolean): Promise<void> => {
    for (let left = 3_000; !condition(); left--) {
      if (left === 0) throw new Error("it never came")
      await Bun.sleep(20)
    }
  }
  return {
    size,
    /** Resolves when it was told so much, and takes nothing from then on. */
    opened: until(() => size() > 0 && readFileSync(file, "utf8").includes(last)).then(() => halt(child.pid)),
    /** Reads on, until what it has fulfils the condition. */
    async goOn(condition: (text: string) => boolean): Promise<string> {
      child.kill("SIGCONT")
      let text = ""
      let seen = -1
      await until(() => {
        if (size() === seen) return false
        seen = size()
        text = readFileSync(file, "utf8")
        return condition(text)
      })
      return text
    },
    close: () => child.kill("SIGKILL"),
  }
}
