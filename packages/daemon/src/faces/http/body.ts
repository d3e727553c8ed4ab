import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isDeeperThan } from "@sandbox-agent/schema/json-depth"
import { jsonErrorPosition } from "@sandbox-agent/schema/json-position"
import { limits } from "@sandbox-agent/schema/limits"

/** Bytes of bodies that are being read, of all requests; and how long one may take. */
export const bodies = { bytes: 0, deadlineMs: limits.requestBodyMs as number }

/** Reads a JSON body, bounded and typed. An empty body is undefined. */
export async function readJson(request: Request): Promise<unknown> {
  const declared = Number(request.headers.get("content-length") ?? 0)
  if (declared > limits.requestBodyBytes) throw tooLarge()
  assertUncoded(request)
  assertUtf8(request)
  const text = await readText(request)
  if (text === "") return undefined
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
  if (type !== "application/json" && !type.endsWith("+json"))
    throw new SandboxAgentError(
      "unsupported_media_type",
      `the body is ${type || "of no stated type"}, not application/json`,
    )
  assertShallow(text)
  return kept(parsed(text), text)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const { line, column, reason } = jsonErrorPosition(text) ?? { line: 1, column: 1, reason: "it cannot be read" }
    throw new SandboxAgentError("invalid_request", `the body is not JSON, line ${line}, column ${column}: ${reason}`, {
      line,
      column,
    })
  }
}

/** What is compressed would be told to be no JSON, or kept so. */
export function assertUncoded({ headers }: Request): void {
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity"
  if (coding !== "identity")
    throw new SandboxAgentError("unsupported_media_type", `the body has content-encoding ${coding}: send it as it is`)
}

function assertUtf8({ headers }: Request): void {
  const charset = /charset="?([^";\s]+)/i.exec(headers.get("content-type") ?? "")?.[1]?.toLowerCase()
  if (charset !== undefined && !["utf-8", "utf8", "us-ascii"].includes(charset))
    throw new SandboxAgentError("unsupported_media_type", `the body is text in ${charset}, and JSON is in UTF-8`)
}

/** What would be lost on the way without a word: a value under a name that objects have for themselves, a number too large. */
function kept(value: unknown, text: string): unknown {
  if (suspicious.test(text)) assertKept(value)
  return value
}

/** Written out or as escapes; an exponent, or as many digits as the largest number has. */
const suspicious = /__proto__|\\u00[567]|\d[eE]|(?<!\d)\d{300}/

function assertKept(value: unknown): void {
  if (typeof value === "number" && !Number.isFinite(value))
    throw new SandboxAgentError("invalid_request", "a number in the body is larger than any that can be kept")
  if (typeof value !== "object" || value === null) return
  if (Object.hasOwn(value, "__proto__"))
    throw new SandboxAgentError("invalid_request", "the body has the name `__proto__`, under which nothing can be kept")
  for (const inner of Object.values(value)) assertKept(inner)
}

/** Before it is parsed: that alone would cost seconds, and writing it out could exhaust our stack. */
function assertShallow(text: string): void {
  const limit = limits.requestBodyDepth
  if (isDeeperThan(text, limit))
    throw new SandboxAgentError("invalid_request", `the body is nested deeper than ${limit} levels`, { limit })
}

/** Most bodies are small and here already: they are taken whole, without the cost of a stream. */
async function readText(request: Request): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN)
  const isSmall = declared <= limits.smallBodyBytes
  // Not asked of a small one: to look at `body` makes a stream of it.
  if (!isSmall && request.body === null) return ""
  const counted = { bytes: 0 }
  const given = Promise.withResolvers<never>()
  const timer = setTimeout(() => given.reject(late()), bodies.deadlineMs)
  try {
    return isSmall
      ? await readWhole(request, declared, counted, given.promise)
      : await readParts(request.body as NonNullable<Request["body"]>, counted, given.promise)
  } catch (error) {
    if (SandboxAgentError.is(error)) throw error
    throw new SandboxAgentError("invalid_request", "the body is not UTF-8 text or was cut off")
  } finally {
    bodies.bytes -= counted.bytes
    clearTimeout(timer)
  }
}

const whole = new TextDecoder("utf-8", { fatal: true })

async function readWhole(
  request: Request,
  declared: number,
  counted: { bytes: number },
  late: Promise<never>,
): Promise<string> {
  count(counted, declared)
  return whole.decode(await Promise.race([request.bytes(), late]))
}

async function readParts(
  body: NonNullable<Request["body"]>,
  counted: { bytes: number },
  late: Promise<never>,
): Promise<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late])
      if (done) return text + decoder.decode()
      count(counted, value.length)
      text += decoder.decode(value, { stream: true })
    }
  } catch (error) {
    // One that broke has ended already, and says so again.
    reader.cancel().catch(() => undefined)
    throw error
  }
}

function count(counted: { bytes: number }, bytes: number): void {
  counted.bytes += bytes
  bodies.bytes += bytes
  if (counted.bytes > limits.requestBodyBytes) throw tooLarge()
  if (bodies.bytes > limits.requestBodiesBytes) throw tooMany()
}

const late = () => new SandboxAgentError("invalid_request", `the body did not come within ${bodies.deadlineMs} ms`)

/** Whoever comes a moment later finds room: no body is read for long. */
const tooMany = () =>
  new SandboxAgentError("unavailable", `bodies of more than ${limits.requestBodiesBytes} bytes are being read`, {
    limit: limits.requestBodiesBytes,
    retryAfterSeconds: 1,
  })

const tooLarge = () =>
  new SandboxAgentError("payload_too_large", `the body is larger than ${limits.requestBodyBytes} bytes`, {
    limit: limits.requestBodyBytes,
  })
