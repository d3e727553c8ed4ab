import { fileURLToPath } from "node:url"

export interface LoadConfig {
  port: number
  path: string
  token?: string
  connections: number
  warmMs: number
  measureMs: number
}

export interface LoadResult {
  perSecond: number
  failed: number
  /** Cores the generator itself used: near 1 means that it was the limit. */
  cpuShare: number
}

const script = fileURLToPath(new URL("./load-process.ts", import.meta.url))

export async function load(config: LoadConfig): Promise<LoadResult> {
  const child = Bun.spawn([process.execPath, script, JSON.stringify(config)], { stdout: "pipe", stderr: "inherit" })
  return JSON.parse(await new Response(child.stdout).text())
}
