import { randomId } from "../random-id.ts"
import { shellWord } from "../shell-word.gen.ts"
import type { Machine, Ran, Vendor } from "./machine.ts"
import { raise } from "./raise.ts"
import type { SandboxAddress, SandboxOptions, SandboxProvider } from "./sandbox.ts"
import { textOf, vendorPackage } from "./vendor-package.ts"

export interface DaytonaOptions extends SandboxOptions {
  /** Else that of `DAYTONA_API_KEY`. */
  apiKey?: string
  /** Other settings of `new Daytona()`: `apiUrl`, `target`, `organizationId`. */
  config?: Record<string, unknown>
  /** One that has the daemon starts fastest. Else Daytona's own, or that of `image`. */
  snapshot?: string
  /** Built into a snapshot by Daytona the first time. */
  image?: string
  /** Other options of `daytona.create()`: `resources`, `autoStopInterval`, `labels`. */
  options?: Record<string, unknown>
  /** The class of the package `@daytona/sdk`. Else it is imported when a sandbox is started. */
  Daytona?: DaytonaSdk
}

/** What is used of the class `Daytona` of the package `@daytona/sdk`, or of `@daytonaio/sdk`, as it was called. */
export type DaytonaSdk = new (config: Record<string, unknown>) => DaytonaClient

export interface DaytonaClient {
  create(params: Record<string, unknown>, options: { timeout: number }): Promise<DaytonaSandbox>
  get(idOrName: string): Promise<DaytonaSandbox>
  [Symbol.asyncDispose](): Promise<void>
}

export interface DaytonaSandbox {
  readonly id: string
  readonly state?: string
  start(timeout?: number): Promise<unknown>
  delete(timeout?: number): Promise<unknown>
  getPreviewLink(port: number): Promise<{ url: string; token?: string }>
  readonly fs: { uploadFile(file: Uint8Array, path: string): Promise<unknown> }
  readonly process: {
    executeCommand(
      command: string,
      cwd?: string,
      env?: Record<string, string>,
      timeout?: number,
    ): Promise<{ exitCode: number; result: string }>
    createSession(id: string): Promise<unknown>
    executeSessionCommand(id: string, request: { command: string; runAsync: boolean }): Promise<unknown>
  }
}

/** A sandbox of Daytona. It needs the package `@daytona/sdk`, and a key. */
export function daytona(options: DaytonaOptions = {}): SandboxProvider {
  return { name: "daytona", create: (start) => raise(new DaytonaVendor(options), options, start) }
}

class DaytonaVendor implements Vendor {
  readonly name = "daytona"
  readonly #options: DaytonaOptions

  constructor(options: DaytonaOptions) {
    this.#options = options
  }

  make(): Promise<Machine> {
    const { snapshot, image, keep = false } = this.#options
    // Named by us: a sandbox that did not come up in time is there all the same, and has to be found.
    const name = randomId("sandbox-agent").replace("_", "-")
    const from = { ...(snapshot !== undefined && { snapshot }), ...(image !== undefined && { image }) }
    return this.#with(async (client) => {
      try {
        // Ephemeral: one whose program was killed is deleted when Daytona stops it.
        const given = { name, ephemeral: !keep, ...from, ...this.#options.options }
        // Without a limit of its own: ours counts.
        return await client.create(given, { timeout: 0 })
      } catch (error) {
        const isRefused = this.explain(error).code === "unauthorized"
        const left = isRefused ? undefined : await client.get(name).catch(absent)
        await left?.delete()
        throw error
      }
    })
  }

  find(id: string): Promise<Machine> {
    return this.#with(async (client) => {
      const sandbox = await client.get(id)
      if (sandbox.state !== undefined && sandbox.state !== "started") await sandbox.start(0)
      return sandbox
    })
  }

  explain(error: unknown): ReturnType<Vendor["explain"]> {
    const { statusCode, name = "" } = error as { statusCode?: number; name?: string }
    const message = textOf(error)
    if (statusCode === 401 || statusCode === 403 || name === "DaytonaAuthenticationError")
      return { code: "unauthorized", message }
    return { code: statusCode === 404 ? "not_found" : "provider", message }
  }

  /** A client has a connection, which ends with the sandbox or when there is none. */
  async #with(work: (client: DaytonaClient) => Promise<DaytonaSandbox>): Promise<Machine> {
    const { Daytona, apiKey, config } = this.#options
    const Sdk = Daytona ?? (await vendorPackage("daytona", "@daytona/sdk", () => import("@daytona/sdk"))).Daytona
    const client = new Sdk({ ...(apiKey !== undefined && { apiKey }), ...config })
    try {
      return new DaytonaMachine(await work(client), client)
    } catch (error) {
      await client[Symbol.asyncDispose]()
      throw error
    }
  }
}

class DaytonaMachine implements Machine {
  readonly #sandbox: DaytonaSandbox
  readonly #client: DaytonaClient

  constructor(sandbox: DaytonaSandbox, client: DaytonaClient) {
    this.#sandbox = sandbox
    this.#client = client
  }

  get id(): string {
    return this.#sandbox.id
  }

  async run(command: string): Promise<Ran> {
    const { process } = this.#sandbox
    const { exitCode, result } = await process.executeCommand(
      `sh -c ${shellWord(`{ ${command}\n} 2>&1`)}`,
      undefined,
      {},
      0,
    )
    return { exitCode, output: result }
  }

  async write(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#sandbox.fs.uploadFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), path)
  }

  /** What goes on is a command of a session there, which takes no variables and is kept as it is: they come with a script that removes itself. */
  async start(command: string, env: Record<string, string>): Promise<void> {
    const id = randomId("sandbox-agent")
    const script = `/tmp/${id}.sh`
    const variables = Object.entries(env).map(([name, value]) => `export ${name}=${shellWord(value)}`)
    await this.write(script, new TextEncoder().encode(['rm -f "$0"', ...variables, command, ""].join("\n")))
    const { process } = this.#sandbox
    await process.createSession(id)
    await process.executeSessionCommand(id, { command: `sh ${script}`, runAsync: true })
  }

  async address(port: number): Promise<SandboxAddress> {
    const { url, token } = await this.#sandbox.getPreviewLink(port)
    const headers: Record<string, string> = { "x-daytona-skip-preview-warning": "true" }
    if (token !== undefined) headers["x-daytona-preview-token"] = token
    return { baseUrl: url.replace(/\/$/, ""), headers }
  }

  leave(): Promise<void> {
    return this.#client[Symbol.asyncDispose]()
  }

  async remove(): Promise<void> {
    await this.#sandbox.delete().catch(absent)
    await this.#client[Symbol.asyncDispose]()
  }
}

function absent(error: unknown): undefined {
  if ((error as { statusCode?: number }).statusCode !== 404) throw error
}
