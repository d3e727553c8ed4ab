import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

export interface ServerProcess {
  url: string
  port: number
  child: ChildProcess
  stop(signal?: NodeJS.Signals): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a program and waits until it says where it listens. */
export async function startProcess(
  command: string[],
  {
    env = {},
    cwd,
    says = /listening on (http:\/\/\S+)/,
  }: { env?: Record<string, string>; cwd?: string; says?: RegExp } = {},
): Promise<ServerProcess> {
  const [program = "", ...args] = command
  const child = spawn(program, args, { env: { ...process.env, ...env }, cwd, stdio: ["ignore", "pipe", "pipe"] })
  const exited = once(child, "exit")
  let output = ""
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000)
      const found = says.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    exited.then(([code]) => reject(new Error(`${program} exited with ${code}: ${output}`)), reject)
  })
  const stop = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal)
    await exited
  }
  return { url, port: Number(/:(\d+)/.exec(url)?.[1]), child, stop, [Symbol.asyncDispose]: () => stop() }
}

/** The official server in a process of its own; `port` to come back at the same place. */
export const startSdkServer = (port = 0): Promise<ServerProcess> =>
  startProcess([process.execPath, fileURLToPath(new URL("sdk-agent.ts", import.meta.url)), `${port}`])
