import { isSandboxAgentError, SandboxAgentError, SandboxError } from "../errors.ts"
import { bearerOf, checkNewToken } from "../http/credentials.ts"
import { Deadline } from "../http/deadline.ts"
import type { Limits } from "../limits.ts"
import { shellWord } from "../shell-word.gen.ts"
import { endOf, putDaemon } from "./daemon.ts"
import type { Machine, Ran, Vendor } from "./machine.ts"
import { answers, untilReady } from "./ready.ts"
import type { Sandbox, SandboxAddress, SandboxOptions, SandboxStart } from "./sandbox.ts"

const defaultPort = 2468
/** What the daemon wrote, for whoever looks for why it does not answer. */
const log = `"\${HOME:-/tmp}/.sandbox-agent.log"`
const end = `"\${HOME:-/tmp}/.sandbox-agent.end"`

/** A sandbox of a provider with a daemon in it; removed again when that fails half way. */
export async function raise(vendor: Vendor, options: SandboxOptions, start: SandboxStart): Promise<Sandbox> {
  const { id, token = randomToken(), port = defaultPort, keep = id !== undefined } = options
  if (id !== undefined && options.token === undefined)
    throw new SandboxAgentError(
      "argument",
      `${vendor.name}: a sandbox that is there needs the token of its daemon, too`,
    )
  // Before anything is made that costs.
  if (id === undefined) checkNewToken(token)
  else bearerOf(token)
  const steps = new Steps(vendor, start)
  const machine = await steps.machine(id)
  try {
    const address = await steps.step("Asking for its address", start.limits.requestMs, (signal) =>
      machine.address(port, signal),
    )
    const known = id !== undefined && (await answers(address, start))
    if (!known) await startDaemon(steps, machine, address, { ...options, token, port })
    return sandboxOf(steps, machine, address, token, keep)
  } catch (error) {
    throw id === undefined ? await steps.removedAfter(error, machine) : error
  }
}

async function startDaemon(
  steps: Steps,
  machine: Machine,
  address: SandboxAddress,
  options: SandboxOptions & { token: string; port: number },
): Promise<void> {
  const { limits } = steps
  const program = await steps.step("Putting the daemon there", limits.sandboxInstallMs, (within) =>
    putDaemon(steps.vendor.name, machine, options, limits.sandboxOutputChars, within),
  )
  const { env = {}, args = [], token, port } = options
  const words = [program, "server", "--host", "0.0.0.0", "--port", `${port}`, ...args].map(shellWord).join(" ")
  // The token goes by the environment: everybody in the sandbox can read arguments.
  await steps.step("Starting the daemon", limits.requestMs, (within) =>
    machine.start(
      `rm -f ${end}; ${words} >${log} 2>&1; echo $? >${end}`,
      { ...env, SANDBOX_AGENT_TOKEN: token },
      within,
    ),
  )
  const why = await untilReady(address, steps.start, async () => {
    const { exitCode, output } = await read(steps, machine, `cat ${end}`)
    return exitCode === 0 ? `exited with ${output.trim()}` : undefined
  })
  if (why === undefined) return
  const { exitCode, output } = await read(steps, machine, `tail -c ${limits.sandboxOutputChars} ${log}`)
  const said = exitCode === 0 ? endOf(output, limits.sandboxOutputChars) : ""
  const message = `The daemon ${why}${said === "" ? "" : `: ${said}`}`
  throw new SandboxError(steps.vendor.name, "not_ready", message)
}

const read = (steps: Steps, machine: Machine, command: string): Promise<Ran> =>
  steps.step("Reading what the daemon wrote", steps.limits.requestMs, (within) => machine.run(command, within))

/** What is asked of a provider, each with a limit and with its failures in our words. */
class Steps {
  readonly vendor: Vendor
  readonly start: SandboxStart

  constructor(vendor: Vendor, start: SandboxStart) {
    this.vendor = vendor
    this.start = start
  }

  get limits(): Limits {
    return this.start.limits
  }

  async step<T>(what: string, limitMs: number, work: (signal: AbortSignal) => Promise<T>, canStop = true) {
    const deadline = new Deadline(`${this.vendor.name}: ${what}`, canStop ? this.start.signal : undefined, limitMs)
    try {
      if (deadline.signal.aborted) throw deadline.signal.reason
      return await deadline.hold(work(deadline.signal))
    } catch (error) {
      if (deadline.signal.aborted || isSandboxAgentError(error)) throw deadline.explain(error)
      const { code, message } = this.vendor.explain(error)
      throw new SandboxError(
        this.vendor.name,
        code,
        `${what}: ${message.slice(0, this.limits.sandboxOutputChars)}`,
        error,
      )
    } finally {
      deadline.release()
    }
  }

  /** One that is made when nobody waits for it any more is removed at once. */
  async machine(id: string | undefined): Promise<Machine> {
    const { sandboxStartMs } = this.limits
    if (id !== undefined)
      return this.step("Finding the sandbox", sandboxStartMs, (signal) => this.vendor.find(id, signal))
    let making: Promise<Machine> | undefined
    try {
      return await this.step("Starting a sandbox", sandboxStartMs, (signal) => {
        making = this.vendor.make(signal)
        return making
      })
    } catch (error) {
      making?.then(
        (late) => this.removeLate(late),
        // Nothing was made.
        () => undefined,
      )
      throw error
    }
  }

  /** Not by the caller's signal: that is often why it is removed. */
  remove(machine: Machine): Promise<void> {
    return this.step("Removing the sandbox", this.limits.sandboxRemoveMs, (signal) => machine.remove(signal), false)
  }

  /** Nobody waits for it any more: what goes wrong is reported. */
  async removeLate(late: Machine): Promise<void> {
    try {
      await this.remove(late)
    } catch (left) {
      const message = `The sandbox ${late.id} came when nobody waited for it any more, and could not be removed: ${wordsOf(left)}`
      const error = new SandboxError(this.vendor.name, "provider", message, left, late.id)
      const { onError = (problem: Error) => console.error("sandbox-agent:", problem) } = this.start
      onError(error)
    }
  }

  async removedAfter(error: unknown, machine: Machine): Promise<unknown> {
    try {
      await this.remove(machine)
      return error
    } catch (left) {
      const message = `${wordsOf(error)}; and the sandbox ${machine.id} could not be removed: ${wordsOf(left)}`
      return new SandboxError(this.vendor.name, "provider", message, error, machine.id)
    }
  }
}

function sandboxOf(steps: Steps, machine: Machine, address: SandboxAddress, token: string, keep: boolean): Sandbox {
  let removing: Promise<void> | undefined
  const remove = (): Promise<void> => {
    removing ??= steps.remove(machine).catch((error: unknown) => {
      // Whoever asks again asks the provider again.
      removing = undefined
      throw error
    })
    return removing
  }
  const dispose = (): Promise<void> => (keep ? (machine.leave?.() ?? Promise.resolve()) : remove())
  const { name: provider } = steps.vendor
  return { ...address, provider, id: machine.id, token, remove, dispose, [Symbol.asyncDispose]: dispose }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function randomToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
