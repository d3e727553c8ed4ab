import type { ContentPart } from "@sandbox-agent/schema/item"
import type { ItemSink } from "../../core/driver-sink.ts"
import { imagePart } from "../shared/image-part.ts"
import { record, text } from "../shared/json.ts"
import type { Call, Result } from "./calls.ts"
import { fileRefs, pathsOf, summaryOf } from "./files.ts"
import type { Item } from "./native.ts"
import { plainText } from "./plain-text.ts"

type Images = Pick<ItemSink, "image">

/** A tool whose item says at its start what is called, and at its end what came of it. */
export interface Tool {
  call(item: Item): Call
  result(item: Item, images: Images): Result
  /** What it is called with is known only at its end. */
  whole?: true
}

export const mcpName = (server: string, tool: string): string => `mcp__${server}__${tool}`

const failedStatus = (status: string | undefined): boolean => status === "failed" || status === "declined"

const fileChange: Tool = {
  call: ({ changes = [] }) => ({
    name: "apply_patch",
    arguments: { changes: changes.map(({ path, kind }) => ({ path, ...kind })) },
    kind: "edit",
    title: `Edit ${pathsOf(changes).join(", ")}`,
  }),
  result: ({ changes = [], status }) => {
    if (status !== "completed") return { output: `the patch was not applied: ${status}`, failed: true }
    return { output: summaryOf(changes), more: fileRefs(changes) }
  },
}

const mcpToolCall: Tool = {
  call: ({ server = "", tool = "", arguments: given }) => ({
    name: mcpName(server, tool),
    arguments: given ?? {},
    title: `${server}: ${tool}`,
  }),
  result: ({ result, error, status }, images) => {
    const { content, structuredContent } = record(result)
    const blocks = Array.isArray(content) ? content.map(record) : []
    const said = plainText(content) || (structuredContent ? JSON.stringify(structuredContent) : "")
    const output = error ? [error.message, said].filter(Boolean).join("\n") : said
    return { output, failed: failedStatus(status), more: pictures(blocks, images) }
  },
}

function pictures(blocks: readonly Readonly<Record<string, unknown>>[], images: Images): ContentPart[] {
  return blocks.flatMap(({ type, data, mimeType }) =>
    type === "image" && typeof data === "string" ? [imagePart(images, data, text(mimeType))] : [],
  )
}

const dynamicToolCall: Tool = {
  call: ({ tool = "unknown", arguments: given }) => ({ name: tool, arguments: given ?? {} }),
  result: ({ contentItems, success, status }) => ({
    output: plainText(contentItems ?? ""),
    failed: success === false || failedStatus(status),
  }),
}

const collabAgentToolCall: Tool = {
  call: ({ tool = "agent", prompt, receiverThreadIds: agents, model }) => ({
    name: collabNames[tool] ?? tool,
    arguments: { ...(prompt && { prompt }), ...(agents?.length && { agents }), ...(model && { model }) },
    title: prompt ?? tool,
  }),
  result: ({ agentsStates = {}, status }) => {
    const states = Object.values(agentsStates).map((one) => [one.status, one.message].filter(Boolean).join(": "))
    return { output: states.join("\n") || (status ?? ""), failed: failedStatus(status) }
  },
}

const collabNames: Record<string, string> = {
  spawnAgent: "spawn_agent",
  sendInput: "send_input",
  resumeAgent: "resume_agent",
  wait: "wait_agent",
  closeAgent: "close_agent",
  sendMessage: "send_message",
  followupTask: "followup_task",
  interruptAgent: "interrupt_agent",
  listAgents: "list_agents",
}

const webSearch: Tool = {
  whole: true,
  call: ({ query, action }) => ({ name: "web_search", arguments: { query, action }, kind: "fetch", title: query }),
  result: ({ query = "", results }) => ({ output: results?.length ? JSON.stringify(results) : query }),
}

const imageView: Tool = {
  call: ({ path = "" }) => ({ name: "view_image", arguments: { path }, kind: "read", title: `View ${path}` }),
  result: ({ path = "" }) => ({ output: path, more: [{ type: "image", path }] }),
}

const imageGeneration: Tool = {
  whole: true,
  call: ({ revisedPrompt }) => ({ name: "image_generation", arguments: { prompt: revisedPrompt ?? "" } }),
  result: ({ savedPath, result, status }, images) => {
    if (savedPath) return { output: savedPath, more: [{ type: "image", path: savedPath }] }
    const data = text(result)
    return data ? { output: status ?? "", more: [imagePart(images, data)] } : { output: status ?? "", failed: true }
  },
}

const sleep: Tool = {
  call: ({ durationMs }) => ({ name: "sleep", arguments: { durationMs } }),
  result: () => ({ output: "" }),
}

const functionCallOutput: Tool = {
  whole: true,
  call: ({ name = "unknown" }) => ({ name, arguments: {} }),
  result: ({ output }) => ({ output: plainText(output) }),
}

export const tools: Readonly<Record<string, Tool>> = {
  fileChange,
  mcpToolCall,
  dynamicToolCall,
  collabAgentToolCall,
  webSearch,
  imageView,
  imageGeneration,
  sleep,
  functionCallOutput,
}
