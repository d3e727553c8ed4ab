import { readdirSync } from "node:fs"
import { expect } from "vitest"
import type { TestDaemon } from "../harness/daemon.ts"
import { queryOf } from "./files-api.ts"

/** A body whose end is sent when it is told so. */
export function halfSent(first: Uint8Array, rest: Uint8Array) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(first)
      await promise
      controller.enqueue(rest)
      controller.close()
    },
  })
  return { body, end: resolve }
}

export async function sendTo(
  { url, api }: TestDaemon,
  method: string,
  name: string,
  path: string,
  body: ReadableStream,
): Promise<[status: number, text: string]> {
  const response = await fetch(`${url}/v1/fs/${name}?${queryOf({ path })}`, { method, headers: api.headers, body })
  return [response.status, await response.text()]
}

export const drafts = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".sandbox-agent-"))

/** Until something is there that is not whole. */
export async function begun(folder: string): Promise<void> {
  await expect.poll(() => drafts(folder).length).toBeGreaterThan(0)
}
