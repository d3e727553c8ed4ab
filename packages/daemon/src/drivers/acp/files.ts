import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, isAbsolute } from "node:path"
import { acpAgentLimits } from "@sandbox-agent/schema/limits"
import { type Json, number, text } from "./json.ts"
import { InvalidParams, Missing } from "./served.ts"

/** Files for the agent: what its process could open itself, it may have of us. */
export async function readTextFile(params: Json): Promise<Json> {
  const path = absolute(params)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new Missing(`${path} does not exist`)
  if (!found.isFile()) throw new InvalidParams(`${path} is no file`)
  if (found.size > acpAgentLimits.fileBytes)
    throw new InvalidParams(`${path} is larger than ${acpAgentLimits.fileBytes} bytes`)
  const whole = await readFile(path, "utf8")
  const [line, limit] = [number(params.line), number(params.limit)]
  if (line === undefined && limit === undefined) return { content: whole }
  const from = Math.max(0, (line ?? 1) - 1)
  const lines = whole.split("\n").slice(from, limit === undefined ? undefined : from + limit)
  return { content: lines.join("\n") }
}

export async function writeTextFile(params: Json): Promise<Json> {
  const path = absolute(params)
  const content = text(params.content)
  if (content === undefined) throw new InvalidParams("content is missing")
  if (Buffer.byteLength(content) > acpAgentLimits.fileBytes)
    throw new InvalidParams(`the content is larger than ${acpAgentLimits.fileBytes} bytes`)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return {}
}

function absolute(params: Json): string {
  const path = text(params.path)
  if (!path || !isAbsolute(path) || path.includes("\0"))
    throw new InvalidParams(`path: ${String(path)} is not absolute`)
  return path
}
