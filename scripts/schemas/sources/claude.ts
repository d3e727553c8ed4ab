import { readFileSync } from "node:fs"
import { join } from "node:path"
import { nameOf, refTo } from "../closure.ts"
import type { Extracted, Method, Schema, SchemaObject } from "../document.ts"
import { SourceAbsent, unpacked } from "../packages.ts"
import { convertedBy, fromDeclarations, rewrite, variantsBy } from "./declarations.ts"

const sdk = "@anthropic-ai/claude-agent-sdk"
/** The content of messages is the model's API; the SDK takes any version, so one is chosen. */
const api = { name: "@anthropic-ai/sdk", version: "1.8.0" }

/** JSON of other protocols, which we only carry, and types of the run time. */
const opaque = `
declare module "@modelcontextprotocol/sdk/types.js" {
  export type CallToolResult = unknown
  export type ElicitResult = unknown
  export type JSONRPCMessage = unknown
  export type ToolAnnotations = unknown
}
declare module "@modelcontextprotocol/sdk/server/mcp.js" { export type McpServer = unknown }
declare module "crypto" { export type UUID = string }
declare module "stream" { export type Readable = unknown; export type Writable = unknown }
`

/** Of a version of the agent: its SDK counts along, 0.3.N for 2.1.N, and says for which agent it was made. */
export function extractClaude(version: string): Extracted {
  const sdkVersion = version.replace(/^2\.1\./, "0.3.")
  const packages = { [sdk]: sdkVersion, [api.name]: api.version }
  const proof = join("node_modules", sdk, "sdk.d.ts")
  const folder = join(unpacked(`claude-types-${version}`, packages, proof), "node_modules", sdk)
  const { claudeCodeVersion } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  if (claudeCodeVersion !== version) throw new SourceAbsent(`${sdk}@${sdkVersion} is for ${claudeCodeVersion}`)
  // `T & {}`, which is an object to the converter.
  rewrite(join(folder, "sdk.d.ts"), [[/\bNonNullable<(BetaUsage\[\w+\])>/g, "Exclude<$1, null | undefined>"]])
  const text = readFileSync(join(folder, "sdk.d.ts"), "utf8")
  const lines = stdoutTypes(text)
  const definitions = fromDeclarations({
    files: [join(folder, "sdk.d.ts"), join(folder, "sdk-tools.d.ts")],
    types: [...lines, "SDKUserMessage", "SDKControlInitializeResponse", "ToolInputSchemas"],
    words: false,
    opaque: `${opaque}${leftOut(text)}`,
  })
  return {
    source: `${sdk}@${sdkVersion} (content of messages: ${api.name}@${api.version})`,
    extracted: `sdk.d.ts and sdk-tools.d.ts by ${convertedBy}`,
    methods: {
      messages: variantsBy({ anyOf: lines.map((name) => ({ $ref: refTo(name) })) }, ["type", "subtype"], definitions),
      controlRequests: controlRequests(definitions),
      tools: tools(definitions),
    },
    definitions,
  }
}

interface Manifest {
  claudeCodeVersion?: string
}

/** Some versions name types that were left out of the package: members of unions, that vanish from them. */
function leftOut(text: string): string {
  const named = new Set(text.match(/\bSDK\w+/g))
  const absent = [...named].filter((name) => !new RegExp(`(type|interface|class) ${name}\\b`).test(text))
  return absent.map((name) => `declare type ${name} = never\n`).join("")
}

/** Everything the agent writes, as the union of it says. */
function stdoutTypes(text: string): string[] {
  const union = /type StdoutMessage = ([^;]+);/.exec(text)?.[1] ?? "SDKMessage"
  const names = union.split("|").map((name) => name.trim().replace(/^coreTypes\./, ""))
  return names.filter((name) => new RegExp(`type ${name} =`).test(text))
}

function controlRequests(definitions: Record<string, Schema>): Record<string, Method> {
  const found = variantsBy(definitions.SDKControlRequestInner, ["subtype"], definitions)
  return Object.fromEntries(
    Object.entries(found).map(([subtype, { params }]) => {
      const { $ref = "" } = params as SchemaObject
      const result = $ref === "" ? "" : nameOf($ref).replace(/Request$/, "Response")
      return [subtype, { params, ...(result in definitions ? { result: { $ref: refTo(result) } } : {}) }]
    }),
  )
}

function tools(definitions: Record<string, Schema>): Record<string, Method> {
  const inputs = Object.keys(definitions).filter((name) => `${name.replace(/Input$/, "")}Output` in definitions)
  return Object.fromEntries(
    inputs.map((name) => {
      const tool = name.replace(/Input$/, "")
      return [tool, { params: { $ref: refTo(name) }, result: { $ref: refTo(`${tool}Output`) } }]
    }),
  )
}
