import type { Client } from "./client.ts"

/**
 * OpenCode copies what stands before a message. A turn ends where the next message of a user stands; `undefined`: there
 * is none, and all of it is copied.
 */
export async function forkPoint(client: Client, sessionID: string, last: string): Promise<string | undefined> {
  const messages = await client.call("GET /session/{sessionID}/message", { params: { sessionID } })
  const end = messages.findIndex(({ info }) => info.id === last)
  if (end < 0) return undefined
  return messages.slice(end + 1).find(({ info }) => info.role === "user")?.info.id
}
