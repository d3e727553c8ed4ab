import { AcpError, type SessionNotification } from "../src/acp-http-client.ts"

/** So many, in order; a reader that ends before says so. */
export async function collect<T>(source: AsyncIterator<T, undefined>, count: number): Promise<T[]> {
  const found: T[] = []
  while (found.length < count) {
    const { done, value } = await source.next()
    if (done) throw new Error(`ended after ${found.length} of ${count}`)
    found.push(value)
  }
  return found
}

export const promptOf = (sessionId: string, words: string) => ({
  sessionId,
  prompt: [{ type: "text" as const, text: words }],
})

export function textOf(notification: SessionNotification | undefined): string {
  const update = notification?.update
  if (update?.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return ""
  return update.content.text
}

/** What a caller does about a request whose POST failed: try again. Anything but a typed error fails the test. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AcpError) || error.kind !== "network") throw error
    }
  }
}
