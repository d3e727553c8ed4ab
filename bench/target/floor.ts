import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { launch, temporary } from "./launch.ts"
import type { Running, Session, Target } from "./target.ts"

const script = fileURLToPath(new URL("../floor/server.ts", import.meta.url))

/** The bare server, compiled or from source as the daemon is. */
export async function floor(source: boolean): Promise<Target & { dispose(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "sandbox-agent-floor-"))
  const self = source ? [process.execPath, script] : [await compile(directory)]
  const command: Target["command"] = (port) => ({ command: self, env: { FLOOR_PORT: String(port) } })
  const start = async (): Promise<Running> => {
    const scratch = await temporary()
    const { command: line, env } = command(0, scratch)
    const launched = launch(line, env, scratch)
    const port = await launched.address
    return { pid: launched.pid, port, stop: launched.stop, openSession: async () => session(port) }
  }
  return { name: "floor", command, start, dispose: () => rm(directory, { recursive: true, force: true }) }
}

async function compile(directory: string): Promise<string> {
  const outfile = join(directory, "floor")
  const built = Bun.spawnSync(
    [process.execPath, "build", "--compile", "--minify", "--bytecode", "--format=esm", script, "--outfile", outfile],
    { stderr: "pipe" },
  )
  if (built.exitCode !== 0) throw new Error(`the floor does not compile: ${built.stderr.toString()}`)
  return outfile
}

async function session(port: number): Promise<Session> {
  const call = (path: string, body?: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, body === undefined ? {} : { method: "POST", body })
  const opened: Session = {
    marker: `"turn.ended"`,
    eventsPath: () => "/events",
    lastSequence: async () => Number(await (await call("/sequence")).text()),
    send: async (message) => {
      await call("/message", message)
    },
  }
  // One word and the end: two events, waited for so that they are not taken for those of the turn that is measured.
  const before = await opened.lastSequence()
  await opened.send("warm")
  while ((await opened.lastSequence()) < before + 2) await Bun.sleep(5)
  return opened
}
