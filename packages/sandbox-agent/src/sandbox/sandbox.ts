import type { Fetch } from "../http/http.ts"
import type { Limits } from "../limits.ts"
import type { SocketMaker } from "../socket/socket-maker.ts"

/** Where a daemon is reached. */
export interface SandboxAddress {
  readonly baseUrl: string
  /** Sent with every request: what the provider's own proxy asks for. */
  readonly headers?: Record<string, string>
  /** Where requests do not go over the network. */
  readonly fetch?: Fetch
  readonly WebSocket?: SocketMaker
}

/** A sandbox with a daemon in it that answers. */
export interface Sandbox extends SandboxAddress, AsyncDisposable {
  readonly provider: string
  /** With the token, what it is reached by again: `docker({ id, token })`. */
  readonly id: string
  readonly token: string
  /** Removes it, unless it was there before or is to be kept. */
  dispose(): Promise<void>
  /** Removes it in any case, with all that is in it. */
  remove(): Promise<void>
}

/** What a start is given. */
export interface SandboxStart {
  /** Gives up; what was begun is removed. */
  signal?: AbortSignal
  limits: Limits
  /** What no promise can tell: a sandbox that came late and could not be removed, a `SandboxError` with its id as `leftBehind`. Default: `console.error`. */
  onError?: (error: Error) => void
  /** What the daemon is reached with, where the caller has its own. */
  fetch?: Fetch
}

/** Somewhere that sandboxes come from. One of your own is an object with these two. */
export interface SandboxProvider {
  readonly name: string
  create(start: SandboxStart): Promise<Sandbox>
}

/** Of every provider that starts sandboxes. */
export interface SandboxOptions {
  /** One that is there already, with the `token` of its daemon. It is not removed by `dispose()`; where its daemon does not run, it is started. */
  id?: string
  /** Else a random one. */
  token?: string
  /** Where the daemon listens in the sandbox; default 2468. */
  port?: number
  /** Of the daemon. Agents find their keys here. */
  env?: Record<string, string>
  /** Other flags of `sandbox-agent server`. */
  args?: string[]
  /** A command that puts `sandbox-agent` on PATH, for sandboxes that have none. Else the executable of this machine is sent there. */
  install?: string
  /** The executable that is sent, for Linux. Else that of `SANDBOX_AGENT_BIN`, of the package for the sandbox's platform, of `PATH`. */
  binaryPath?: string
  /** `dispose()` leaves it running. */
  keep?: boolean
}
