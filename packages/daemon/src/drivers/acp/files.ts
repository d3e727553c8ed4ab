import { isAbsolute } from "node:path"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { AgentFiles } from "../../core/driver.ts"
import { type Json, number, text } from "../shared/json.ts"
import type { PendingRequests } from "./pending-requests.ts"
import { InvalidParams, Missing } from "./served.ts"

/** Files for the agent: those of its session, and elsewhere what a person allows. */
export class Files {
  constructor(
    private readonly files: AgentFiles,
    private readonly asks: Pick<PendingRequests, "allow">,
  ) {}

  async read(params: Json): Promise<Json> {
    const path = absolute(params)
    const allow = () =>
      this.asks.allow({ kind: "other", action: `Read ${path}`, detail: { path }, readOnly: true, rule: `read ${path}` })
    const bytes = await asRpcError(this.files.read(path, acpAgentLimits.fileBytes, allow))
    const whole = Buffer.from(bytes).toString("utf8")
    const [line, limit] = [number(params.line), number(params.limit)]
    if (line === undefined && limit === undefined) return { content: whole }
    const from = Math.max(0, (line ?? 1) - 1)
    const lines = whole.split("\n").slice(from, limit === undefined ? undefined : from + limit)
    return { content: lines.join("\n") }
  }

  async write(params: Json): Promise<Json> {
    const path = absolute(params)
    const content = text(params.content)
    if (content === undefined) throw new InvalidParams("content is missing")
    if (Buffer.byteLength(content) > acpAgentLimits.fileBytes)
      throw new InvalidParams(`the content is larger than ${acpAgentLimits.fileBytes} bytes`)
    const allow = () =>
      this.asks.allow({ kind: "file_change", action: `Write ${path}`, detail: { path }, rule: `edit ${path}` })
    await asRpcError(this.files.write(path, content, allow))
    return {}
  }
}

/** As the protocol says it. */
async function asRpcError<T>(done: Promise<T>): Promise<T> {
  try {
    return await done
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    throw error.code === "not_found" ? new Missing(error.detail) : new InvalidParams(error.detail)
  }
}

function absolute(params: Json): string {
  const path = text(params.path)
  if (!path || !isAbsolute(path) || path.includes("\0"))
    throw new InvalidParams(`path: ${String(path)} is not absolute`)
  return path
}
