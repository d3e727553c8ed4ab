/** How a daemon of this program's own is started. */
export interface SpawnOptions {
  /** Default 127.0.0.1. */
  host?: string
  /** Else any free one. */
  port?: number
  /** Else a random one that nobody else knows. */
  token?: string
  /** Else that of `SANDBOX_AGENT_BIN`, of the package of this platform, of `PATH`. */
  binaryPath?: string
  /** Until it answers; default 15 seconds. */
  timeoutMs?: number
  /** What it writes: to the terminal of this program, to `onLog`, or nowhere. Default: nowhere. */
  log?: "inherit" | "pipe" | "silent"
  onLog?: (text: string) => void
  /** Where sessions are kept. Else they are in memory and end with the daemon. */
  dataDir?: string
  /** Beside the environment of this program. */
  env?: Record<string, string>
  /** Other flags of `sandbox-agent server`. */
  args?: string[]
  /** Gives up the start. */
  signal?: AbortSignal
}

/** A daemon that belongs to this program and ends with it, however that ends. */
export interface SpawnedSandboxAgent extends AsyncDisposable {
  baseUrl: string
  token: string
  pid: number
  /** Asks it to end, and makes it after 10 seconds; resolves when it is gone. */
  dispose(): Promise<void>
}

/** Starts a daemon; resolves when it answers. On Node, Bun and Deno. */
export async function spawnSandboxAgent(options: SpawnOptions = {}): Promise<SpawnedSandboxAgent> {
  // Loaded when it is asked for: a page or a Worker has no processes, and gets a module that says so.
  const { spawnDaemon } = await import("#embedded")
  return spawnDaemon(options)
}
