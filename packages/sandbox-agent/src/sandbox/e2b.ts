import type { Machine, Ran, Vendor } from "./machine.ts"
import { raise } from "./raise.ts"
import type { SandboxAddress, SandboxOptions, SandboxProvider } from "./sandbox.ts"
import { textOf, vendorPackage } from "./vendor-package.ts"

export interface E2bOptions extends SandboxOptions {
  /** Else that of `E2B_API_KEY`. */
  apiKey?: string
  /** Default `base`. One that has the daemon starts fastest. */
  template?: string
  /** After so long E2B ends the sandbox; default an hour. */
  timeoutMs?: number
  /** Other options of `Sandbox.create` and `Sandbox.connect`: `metadata`, `network`, `domain`. */
  options?: Record<string, unknown>
  /** The class of the package `e2b`. Else it is imported when a sandbox is started. */
  Sandbox?: E2bSdk
}

/** What is used of the class `Sandbox` of the package `e2b`. */
export interface E2bSdk {
  create(template: string, options: Record<string, unknown>): Promise<E2bSandbox>
  connect(id: string, options: Record<string, unknown>): Promise<E2bSandbox>
}

export interface E2bSandbox {
  readonly sandboxId: string
  readonly trafficAccessToken?: string
  getHost(port: number): string
  readonly commands: { run(command: string, options: Record<string, unknown>): Promise<unknown> }
  readonly files: { write(path: string, data: Blob, options: Record<string, unknown>): Promise<unknown> }
  kill(options: Record<string, unknown>): Promise<unknown>
}

const lifeMs = 60 * 60_000

/** A sandbox of E2B. It needs the package `e2b`, and a key. */
export function e2b(options: E2bOptions = {}): SandboxProvider {
  return { name: "e2b", create: (start) => raise(new E2b(options), options, start) }
}

class E2b implements Vendor {
  readonly name = "e2b"
  readonly #options: E2bOptions

  constructor(options: E2bOptions) {
    this.#options = options
  }

  async make(): Promise<Machine> {
    const { template = "base" } = this.#options
    const sdk = await this.#sdk()
    // Without a signal or a limit of its own: E2B would go on, and nobody would know what to remove.
    return new E2bMachine(await sdk.create(template, { requestTimeoutMs: 0, ...this.#given() }))
  }

  async find(id: string, signal: AbortSignal): Promise<Machine> {
    const sdk = await this.#sdk()
    return new E2bMachine(await sdk.connect(id, { ...this.#given(), signal }))
  }

  explain(error: unknown): ReturnType<Vendor["explain"]> {
    const { name = "" } = error as { name?: string }
    const message = textOf(error)
    if (name === "AuthenticationError") return { code: "unauthorized", message }
    return { code: /NotFound/.test(name) || /^404\b/.test(message) ? "not_found" : "provider", message }
  }

  async #sdk(): Promise<E2bSdk> {
    return this.#options.Sandbox ?? (await vendorPackage("e2b", "e2b", () => import("e2b"))).Sandbox
  }

  #given(): Record<string, unknown> {
    const { apiKey, timeoutMs = lifeMs, options } = this.#options
    return { timeoutMs, ...(apiKey !== undefined && { apiKey }), ...options }
  }
}

class E2bMachine implements Machine {
  readonly #sandbox: E2bSandbox

  constructor(sandbox: E2bSandbox) {
    this.#sandbox = sandbox
  }

  get id(): string {
    return this.#sandbox.sandboxId
  }

  async run(command: string, signal: AbortSignal): Promise<Ran> {
    // The package counts what exits with another code than 0 as an error, and has limits of its own: ours count.
    const ran = await this.#sandbox.commands.run(command, { signal, timeoutMs: 0, requestTimeoutMs: 0 }).catch(exited)
    const { exitCode, stdout, stderr } = ran as { exitCode: number; stdout: string; stderr: string }
    return { exitCode, output: stdout + stderr }
  }

  async write(path: string, bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    await this.#sandbox.files.write(path, new Blob([bytes]), { signal, requestTimeoutMs: 0 })
  }

  async start(command: string, envs: Record<string, string>, signal: AbortSignal): Promise<void> {
    const handle = await this.#sandbox.commands.run(command, { envs, signal, background: true, timeoutMs: 0 })
    // It goes on without anybody who reads what it writes, which is nothing.
    await (handle as { disconnect(): Promise<void> }).disconnect()
  }

  address(port: number): Promise<SandboxAddress> {
    const { trafficAccessToken } = this.#sandbox
    const headers = trafficAccessToken === undefined ? undefined : { "e2b-traffic-access-token": trafficAccessToken }
    return Promise.resolve({ baseUrl: `https://${this.#sandbox.getHost(port)}`, headers })
  }

  async remove(signal: AbortSignal): Promise<void> {
    await this.#sandbox.kill({ signal })
  }
}

function exited(error: unknown): unknown {
  if (typeof (error as { exitCode?: unknown }).exitCode === "number") return error
  throw error
}
