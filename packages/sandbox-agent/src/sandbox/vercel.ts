import { randomId } from "../random-id.ts"
import type { Machine, Ran, Vendor } from "./machine.ts"
import { raise } from "./raise.ts"
import type { SandboxAddress, SandboxOptions, SandboxProvider } from "./sandbox.ts"
import { environment, textOf, vendorPackage } from "./vendor-package.ts"

export interface VercelOptions extends SandboxOptions {
  /** With the two below; else those of `VERCEL_TOKEN`, `VERCEL_TEAM_ID` and `VERCEL_PROJECT_ID`, else what the package finds by itself. */
  accessToken?: string
  teamId?: string
  projectId?: string
  /** Else Vercel's own. One that has the daemon starts fastest. */
  image?: string
  /** After so long Vercel ends the sandbox; default 45 minutes. */
  timeoutMs?: number
  /** Other options of `Sandbox.create` and `Sandbox.get`: `resources`, `source`, `networkPolicy`. */
  options?: Record<string, unknown>
  /** The class of the package `@vercel/sandbox`. Else it is imported when a sandbox is started. */
  Sandbox?: VercelSdk
}

/** What is used of the class `Sandbox` of the package `@vercel/sandbox`. */
export interface VercelSdk {
  create(options: Record<string, unknown>): Promise<VercelSandbox>
  get(options: Record<string, unknown> & { name: string }): Promise<VercelSandbox>
}

export interface VercelSandbox {
  readonly name: string
  domain(port: number): string
  runCommand(options: VercelCommand): Promise<unknown>
  writeFiles(files: { path: string; content: Uint8Array }[], options: { signal?: AbortSignal }): Promise<unknown>
  stop(options: { signal?: AbortSignal }): Promise<unknown>
  delete(options: { signal?: AbortSignal; deleteOrphanSnapshots?: boolean }): Promise<unknown>
}

export interface VercelCommand {
  cmd: string
  args: string[]
  env?: Record<string, string>
  detached?: boolean
  signal?: AbortSignal
}

const lifeMs = 45 * 60_000

/** A sandbox of Vercel. It needs the package `@vercel/sandbox`, and a token; its id is its name there. */
export function vercel(options: VercelOptions = {}): SandboxProvider {
  return { name: "vercel", create: (start) => raise(new Vercel(options), options, start) }
}

class Vercel implements Vendor {
  readonly name = "vercel"
  readonly #options: VercelOptions

  constructor(options: VercelOptions) {
    this.#options = options
  }

  async make(): Promise<Machine> {
    const { port = 2468, timeoutMs = lifeMs, image, keep = false } = this.#options
    const sdk = await this.#sdk()
    // Named by us: the package asks again when an answer is lost, and there must be one of it.
    const name = randomId("sandbox-agent").replace("_", "-")
    const given = { ...this.#credentials(), ...this.#options.options }
    const own = { name, ports: [port], timeout: timeoutMs, persistent: keep, ...(image !== undefined && { image }) }
    try {
      return new VercelMachine(await sdk.create({ ...own, ...given }))
    } catch (error) {
      const { code } = this.explain(error)
      const left = code === "unauthorized" ? undefined : await sdk.get({ name, ...given }).catch(absent)
      await left?.delete({ deleteOrphanSnapshots: true })
      throw error
    }
  }

  async find(name: string, signal: AbortSignal): Promise<Machine> {
    const sdk = await this.#sdk()
    const given = { ...this.#credentials(), ...this.#options.options }
    return new VercelMachine(await sdk.get({ resume: true, ...given, name, signal }))
  }

  explain(error: unknown): ReturnType<Vendor["explain"]> {
    const message = wordsOf(error)
    const status = statusOf(error)
    if (status === 401 || status === 403 || /credentials/i.test(message)) return { code: "unauthorized", message }
    return { code: status === 404 ? "not_found" : "provider", message }
  }

  async #sdk(): Promise<VercelSdk> {
    const { Sandbox } = this.#options
    return Sandbox ?? (await vendorPackage("vercel", "@vercel/sandbox", () => import("@vercel/sandbox"))).Sandbox
  }

  #credentials(): Record<string, string> {
    const { VERCEL_TOKEN, VERCEL_TEAM_ID, VERCEL_PROJECT_ID } = environment()
    const { accessToken = VERCEL_TOKEN, teamId = VERCEL_TEAM_ID, projectId = VERCEL_PROJECT_ID } = this.#options
    const all = Object.entries({ token: accessToken, teamId, projectId })
    return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  }
}

class VercelMachine implements Machine {
  readonly #sandbox: VercelSandbox

  constructor(sandbox: VercelSandbox) {
    this.#sandbox = sandbox
  }

  get id(): string {
    return this.#sandbox.name
  }

  async run(command: string, signal: AbortSignal): Promise<Ran> {
    const ran = await this.#sandbox.runCommand({ cmd: "sh", args: ["-c", command], signal })
    const finished = ran as { exitCode: number; output(stream: "both"): Promise<string> }
    return { exitCode: finished.exitCode, output: await finished.output("both") }
  }

  async write(path: string, content: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await this.#sandbox.writeFiles([{ path, content }], { signal })
  }

  async start(command: string, env: Record<string, string>, signal: AbortSignal): Promise<void> {
    await this.#sandbox.runCommand({ cmd: "sh", args: ["-c", command], env, detached: true, signal })
  }

  address(port: number): Promise<SandboxAddress> {
    return Promise.resolve({ baseUrl: this.#sandbox.domain(port) })
  }

  async remove(signal: AbortSignal): Promise<void> {
    // One that has stopped by itself cannot be stopped, and is deleted all the same.
    await this.#sandbox.stop({ signal }).catch(() => undefined)
    await this.#sandbox.delete({ signal, deleteOrphanSnapshots: true }).catch(absent)
  }
}

/** The package keeps the answer that an error came of. */
const statusOf = (error: unknown): number | undefined =>
  (error as { response?: { status?: number } } | undefined)?.response?.status

function wordsOf(error: unknown): string {
  const { json, text } = error as { json?: { error?: { message?: string } }; text?: string }
  return textOf(error) || json?.error?.message || text || `Vercel answered ${statusOf(error)}`
}

function absent(error: unknown): undefined {
  if (statusOf(error) !== 404) throw error
}
