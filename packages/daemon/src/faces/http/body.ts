import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { jsonPlace } from "./json-place.ts"

/** Reads a JSON body, bounded and typed. An empty body is undefined. */
export async function readJson(request: Request): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? 0)
  if (declared > limits.requestBodyBytes) throw tooLarge()
  const text = await readText(request)
  if (text === "") return undefined
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  if (type !== "application/json" && !type.endsWith("+json"))
    throw new SandboxAgentError(
      "unsupported_media_type",
      `the body is ${type || "of no stated type"}, not application/json`,
    )
  try {
    return JSON.parse(text)
  } catch {
    const place = jsonPlace(text)
    throw new SandboxAgentError(
      "invalid_request",
      `the body is not JSON: it breaks at line ${place.line}, column ${place.column}`,
      place,
    )
  }
}

async function readText(request: Request): Promise<string> {
  if (request.body === null) return ""
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let size = 0
  try {
    for await (const chunk of request.body) {
      size += chunk.length
      if (size > limits.requestBodyBytes) throw tooLarge()
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    if (SandboxAgentError.is(error)) throw error
    throw new SandboxAgentError("invalid_request", "the body is not UTF-8 text or was cut off")
  }
}

const tooLarge = () =>
  new SandboxAgentError("payload_too_large", `the body is larger than ${limits.requestBodyBytes} bytes`, {
    limit: limits.requestBodyBytes,
  })
