import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ContentPart, ItemKind, ItemRole } from "@sandbox-agent/schema/item"
import { type Host, isBrief, type NativeRef, type PastItem } from "../../core/driver.ts"
import { PastImages } from "../../core/past-images.ts"
import { record, text } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { commandText } from "./commands.ts"
import { poolKey } from "./launch.ts"
import type { Item } from "./native.ts"
import { plainText } from "./plain-text.ts"
import { Refused } from "./refused.ts"
import type { Server } from "./server.ts"
import { serverHomeOf } from "./server-home.ts"
import type { Servers } from "./servers.ts"
import { tools } from "./tools.ts"

interface Page {
  data?: { item: Item }[]
  nextCursor?: string | null
}

/** What was said and done in a thread of Codex's own, in order. */
export async function* readHistory(
  launcher: Launcher,
  ref: NativeRef,
  host: Host,
  servers: Servers,
): AsyncIterable<PastItem> {
  const serverHome = await serverHomeOf({ kind: "adopt", ref }, {}, host)
  const key = poolKey(launcher, serverHome, host, undefined)
  const { server, release } = await servers.lease({ key, launcher, serverHome }, { lost: () => undefined }, host)
  const images = new PastImages()
  try {
    for await (const item of itemsOf(server, ref.id ?? "")) yield* pastItems(item, images)
  } finally {
    release()
  }
}

/** Page by page; of threads that are kept in an older way all at once. */
async function* itemsOf(server: Server, threadId: string): AsyncIterable<Item> {
  let cursor: string | null | undefined
  do {
    const page = await pageOf(server, threadId, cursor)
    for (const { item } of page.data ?? []) yield item
    cursor = page.nextCursor
  } while (cursor)
}

async function pageOf(server: Server, threadId: string, cursor: string | null | undefined): Promise<Page> {
  try {
    return await server.request("thread/items/list", { threadId, limit: 100, ...(cursor && { cursor }) })
  } catch (error) {
    if (!(error instanceof Refused) || cursor) throw error
    return wholeOf(server, threadId)
  }
}

async function wholeOf(server: Server, threadId: string): Promise<Page> {
  try {
    const { thread } = await server.request("thread/read", { threadId, includeTurns: true })
    return { data: (thread?.turns ?? []).flatMap(({ items = [] }) => items.map((item) => ({ item }))) }
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    throw new SandboxAgentError("not_found", `Codex has no thread ${threadId}: ${error.detail}`)
  }
}

const past = (kind: ItemKind, role: ItemRole, ...content: ContentPart[]): PastItem => ({ kind, role, content })

function* pastItems(item: Item, images: PastImages): Iterable<PastItem> {
  switch (item.type) {
    case "userMessage":
      yield past("message", "user", ...userContent(item.content))
      return
    case "agentMessage":
    case "plan":
      if (item.text) yield past("message", "assistant", { type: "text", text: item.text })
      return
    case "reasoning":
      for (const text of item.summary ?? [])
        yield past("message", "assistant", { type: "reasoning", text, visibility: "public" })
      return
    case "commandExecution": {
      const output = item.aggregatedOutput ?? ""
      const command = commandText(item)
      yield call(item.id, "exec_command", { command, cwd: item.cwd }, "execute")
      yield result(item.id, output, item.status !== "completed")
      return
    }
  }
  const tool = tools[item.type]
  if (tool === undefined) return // housekeeping
  const made = tool.call(item)
  const { output, failed = false, more = [] } = tool.result(item, images)
  yield call(item.id, made.name, made.arguments, made.kind)
  yield { ...result(item.id, output, failed, more), blobs: images.take() }
}

function userContent(content: unknown): ContentPart[] {
  const parts = Array.isArray(content) ? content.map(record) : []
  const texts = parts
    .flatMap(({ type, text }) => (type === "text" ? plainText(text) : []))
    .filter((one) => !isBrief(one))
  const pictures = parts.flatMap(({ type, path }): ContentPart[] =>
    type === "localImage" && text(path) ? [{ type: "image", path: String(path) }] : [],
  )
  return [{ type: "text", text: texts.join("\n") }, ...pictures]
}

const call = (call_id: string, name: string, given: unknown, kind = "other"): PastItem =>
  past("tool_call", "assistant", { type: "tool_call", name, arguments: JSON.stringify(given ?? {}), call_id, kind })

const result = (call_id: string, output: string, failed: boolean, more: ContentPart[] = []): PastItem =>
  past("tool_result", "tool", { type: "tool_result", call_id, output, ...(failed && { is_error: true }) }, ...more)
