import { shellQuoted } from "../shell-word.ts"
import { calls } from "./calls.ts"
import type { Json } from "./components.ts"

interface Parameter extends Json {
  name: string
  in: string
  required: boolean
  example?: unknown
}
interface Operation extends Json {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, unknown> }>
  security?: unknown[]
}

/** Where the examples are; whoever shows them puts its own address there. */
export const exampleAddress = "http://127.0.0.1:2468"

/** Query names that an example is clearer with, though they may be left out. */
const shown: Readonly<Record<string, readonly string[]>> = {
  getEvents: ["offset", "limit"],
  streamEvents: ["offset"],
  listFsEntries: ["path"],
  archiveFs: ["path"],
  uploadFsBatch: ["path"],
  watchFs: ["path"],
  searchFs: ["path"],
  getMcpConfig: ["mcpName"],
  getSkillsConfig: ["skillName"],
  postAcp: ["agent"],
  postAcpServer: ["agent"],
}

/** The same operation with curl and with the TypeScript client, as tools for OpenAPI look for them. */
export function addCodeSamples(paths: Record<string, Record<string, Json>>): void {
  for (const [path, methods] of Object.entries(paths))
    for (const [method, one] of Object.entries(methods) as [string, Operation][]) {
      const call = calls[one.operationId.replace(/V2$/, "")]
      one["x-codeSamples"] = [
        { lang: "bash", label: "curl", source: curlOf(path, method.toUpperCase(), one) },
        ...(call === undefined ? [] : [{ lang: "typescript", label: "TypeScript", source: call }]),
      ]
    }
}

function curlOf(path: string, method: string, one: Operation): string {
  const { operationId, parameters = [], requestBody, responses, security } = one
  const exampleOf = (name: string): string =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example ?? ""))
  const wanted = shown[operationId.replace(/V2$/, "")] ?? []
  const asked = parameters.filter(
    ({ in: where, required, name }) => where === "query" && (required || wanted.includes(name)),
  )
  const query = asked.map(({ name }) => `${name}=${exampleOf(name).replaceAll("%2F", "/")}`).join("&")
  const address = `${exampleAddress}${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name))}`
  const streams = Object.values(responses).some(({ content = {} }) => "text/event-stream" in content)
  const json = requestBody?.content["application/json"]
  const [media] = Object.keys(requestBody?.content ?? {})
  const socket = "101" in responses
  const lines = [
    `curl${streams ? " -N" : ""}${method === "HEAD" ? " -I" : method === "GET" ? "" : ` -X ${method}`} "${address}${query === "" ? "" : `?${query}`}"`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $SANDBOX_AGENT_TOKEN"']),
    ...(socket ? ['-H "Connection: Upgrade" -H "Upgrade: websocket"'] : []),
    ...(json === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(json.example))}`]),
    ...(json === undefined && media !== undefined ? [`-H "Content-Type: ${media}"`, "--data-binary @file"] : []),
  ]
  return lines.join(" \\\n  ")
}
