import { spawn } from "node:child_process"
import { endWithUs, type Watcher } from "../embedded/end-with-us.ts"
import { SandboxError } from "../errors.ts"
import { randomId } from "../random-id.ts"
import { shellWord } from "../shell-word.gen.ts"
import type { Machine, Ran, Vendor } from "./machine.ts"
import { raise } from "./raise.ts"
import type { SandboxOptions, SandboxProvider } from "./sandbox.ts"

export interface DockerOptions extends SandboxOptions {
  /** Default `buildpack-deps:stable-scm`: Debian with git, curl and certificates. */
  image?: string
  /** Where Docker publishes the port, and where the daemon is reached; default 127.0.0.1. */
  host?: string
  /** Folders of this machine by their place in the container. */
  mounts?: Record<string, string>
  /** Other flags of `docker run`, such as `--network`, `--memory`, `--user`. */
  runArgs?: string[]
  /** Default `docker`; another program with the same commands, such as `podman`. */
  program?: string
}

const defaultImage = "buildpack-deps:stable-scm"
const keptChars = 64 * 1024

/**
 * A container of the Docker engine that the command `docker` speaks to. It is removed by `dispose()`, and when this program ends without it.
 * `id` is the name or id of a container that runs, or can be started.
 */
export function docker(options: DockerOptions = {}): SandboxProvider {
  return { name: "docker", create: (start) => raise(new Docker(options), options, start) }
}

class Docker implements Vendor {
  readonly name = "docker"
  readonly #options: DockerOptions

  constructor(options: DockerOptions) {
    this.#options = options
  }

  async make(signal: AbortSignal): Promise<Machine> {
    const { image = defaultImage, host = "127.0.0.1", port = 2468, mounts = {}, runArgs = [], keep } = this.#options
    const { program = "docker" } = this.#options
    const { exitCode } = await runDocker(program, ["image", "inspect", image], { signal })
    if (exitCode !== 0) await succeed(program, ["pull", "--quiet", image], { signal })
    // Named by us: it can be removed also when nothing tells that it was made.
    const id = randomId("sandbox-agent").replace("_", "-")
    const watcher = keep ? undefined : endWithUs([program, "rm", "--force", "--volumes", id].map(shellWord).join(" "))
    const container = new Container(program, id, host, watcher)
    const volumes = Object.entries(mounts).flatMap(([to, from]) => ["--volume", `${from}:${to}`])
    const words = ["run", "--detach", "--init", "--name", id, "--label", "sandbox-agent", ...volumes]
    const publish = ["--publish", `${host}::${port}`]
    const whole = [...words, ...publish, ...runArgs, "--entrypoint", "sleep", image, "infinity"]
    try {
      // Without the signal: a command that is stopped half way may leave a container that comes to be after it was removed.
      await succeed(program, whole, {})
      return container
    } catch (error) {
      await container.remove().catch((left: unknown) => {
        throw new SandboxError("docker", "provider", `${textOf(error)}; and ${textOf(left)}`, error, id)
      })
      throw error
    }
  }

  async find(id: string, signal: AbortSignal): Promise<Machine> {
    const { program = "docker", host = "127.0.0.1" } = this.#options
    const container = new Container(program, id, host)
    // Nothing happens to one that runs.
    await succeed(program, ["start", id], { signal })
    return container
  }

  explain(error: unknown): ReturnType<Vendor["explain"]> {
    const message = textOf(error)
    const isMissing = /no such (container|image)|not found|manifest unknown|pull access denied/i.test(message)
    return { code: isMissing ? "not_found" : "provider", message }
  }
}

interface DockerCall {
  signal?: AbortSignal
  /** Of the command `docker`, which passes on what `--env NAME` names. */
  env?: Record<string, string>
  input?: Uint8Array
}

class Container implements Machine {
  readonly id: string
  readonly #program: string
  readonly #host: string
  readonly #watcher: Watcher | undefined

  constructor(program: string, id: string, host: string, watcher?: Watcher) {
    this.id = id
    this.#program = program
    this.#host = host
    this.#watcher = watcher
  }

  run(command: string, signal: AbortSignal): Promise<Ran> {
    return runDocker(this.#program, ["exec", this.id, "sh", "-c", command], { signal })
  }

  async write(path: string, input: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await succeed(this.#program, ["exec", "--interactive", this.id, "sh", "-c", `cat >${shellWord(path)}`], {
      signal,
      input,
    })
  }

  async start(command: string, env: Record<string, string>, signal: AbortSignal): Promise<void> {
    const names = Object.keys(env).flatMap((name) => ["--env", name])
    await succeed(this.#program, ["exec", "--detach", ...names, this.id, "sh", "-c", command], { signal, env })
  }

  async address(port: number, signal: AbortSignal): Promise<{ baseUrl: string }> {
    const { output } = await succeed(this.#program, ["port", this.id, `${port}/tcp`], { signal })
    const published = /:(\d+)\s*$/m.exec(output)?.[1]
    if (published === undefined)
      throw new SandboxError("docker", "provider", `The container publishes no port ${port}: ${output.trim()}`)
    const host = this.#host === "0.0.0.0" ? "127.0.0.1" : this.#host
    return { baseUrl: `http://${host}:${published}` }
  }

  async remove(signal?: AbortSignal): Promise<void> {
    const { exitCode, output } = await runDocker(this.#program, ["rm", "--force", "--volumes", this.id], { signal })
    if (exitCode !== 0 && !/no such container/i.test(output)) throw new Error(output.trim())
    this.#watcher?.over()
  }
}

/** One whose failure is an error. */
async function succeed(program: string, words: string[], call: DockerCall): Promise<Ran> {
  const ran = await runDocker(program, words, call)
  if (ran.exitCode !== 0) throw new Error(ran.output.trim() || `docker ${words[0]} exited with ${ran.exitCode}`)
  return ran
}

function runDocker(program: string, words: string[], { signal, env, input }: DockerCall): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env: { ...process.env, ...env }, signal, stdio: ["pipe", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-keptChars)
      })
    child.on("error", (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === "ENOENT"
      const message = `The command ${program} is not on this machine: install Docker, or name another with \`program\``
      reject(isMissing ? new SandboxError("docker", "not_installed", message, error) : error)
    })
    // A command that ends before it has read all says why by itself.
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
    child.on("close", (code, by) => resolve({ exitCode: code ?? 1, output: by === null ? output : `ended by ${by}` }))
  })
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
