import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nameOf, refTo } from "../closure.ts"
import type { Extracted, Method, Methods, Schema, SchemaObject } from "../document.ts"
import { normalizeAll } from "../normalize.ts"
import { SourceAbsent } from "../packages.ts"
import { agentProgram } from "./program.ts"

const command = ["app-server", "generate-json-schema", "--experimental"]
const GENERATE_MS = 120_000

export function extractCodex(version: string): Extracted {
  const program = agentProgram("codex", version)
  const folder = mkdtempSync(join(tmpdir(), "codex-schemas-"))
  const home = join(folder, "home")
  const out = join(folder, "out")
  try {
    mkdirSync(home)
    const { status, stderr, error } = spawnSync(program, [...command, "--out", out], {
      env: { HOME: home, CODEX_HOME: home, PATH: process.env.PATH ?? "" },
      encoding: "utf8",
      timeout: GENERATE_MS,
    })
    if (status !== 0) throw new SourceAbsent(`${program} does not run: ${error?.message ?? stderr.trim()}`)
    const bundle = readFileSync(join(out, "codex_app_server_protocol.schemas.json"), "utf8")
    return fromBundle(version, JSON.parse(bundle) as Bundle)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Bundle {
  definitions: Record<string, Schema> & { v2?: Record<string, Schema> }
}

const kinds = {
  ClientRequest: "clientRequests",
  ClientNotification: "clientNotifications",
  ServerRequest: "serverRequests",
  ServerNotification: "serverNotifications",
} as const

function fromBundle(version: string, { definitions }: Bundle): Extracted {
  const { v2 = {}, ...top } = definitions
  const rename = (ref: string): string => refTo(ref.replace(/^#\/definitions\/(v2\/)?/, ""))
  const all = normalizeAll(top, rename)
  for (const [name, schema] of Object.entries(normalizeAll(v2, rename))) {
    if (name in all && JSON.stringify(all[name]) !== JSON.stringify(schema))
      throw new Error(`codex has two definitions of ${name}`)
    all[name] = schema
  }
  const methods: Methods = {}
  for (const [union, kind] of Object.entries(kinds)) methods[kind] = methodsOf(all[union], all)
  // Said already, by method. What no method names stays: some notifications are sent that the unions do not list.
  for (const union of Object.keys(kinds)) delete all[union]
  return {
    source: `@openai/codex@${version}`,
    extracted: `codex ${command.join(" ")}`,
    methods,
    definitions: all,
  }
}

function methodsOf(union: Schema | undefined, all: Record<string, Schema>): Record<string, Method> {
  const variants = typeof union === "object" ? (union.oneOf ?? []) : []
  return Object.fromEntries(
    variants.map((variant) => {
      const { description, properties = {} } = variant as SchemaObject
      const method = String((properties.method as SchemaObject).const)
      const { params } = properties
      const result = resultName(method, params, all)
      return [
        method,
        {
          ...(description === undefined ? {} : { description }),
          ...(params === undefined ? {} : { params }),
          ...(result === undefined ? {} : { result: { $ref: refTo(result) } }),
        },
      ]
    }),
  )
}

/** No schema says which result answers a request: the two are named alike, except these. */
const otherwise: Readonly<Record<string, string>> = {
  "account/logout": "LogoutAccountResponse",
  "account/workspaceMessages/read": "GetWorkspaceMessagesResponse",
  "accountSession/list": "AccountSessionsResponse",
  "config/batchWrite": "ConfigWriteResponse",
  "config/mcpServer/reload": "McpServerRefreshResponse",
  "config/value/write": "ConfigWriteResponse",
  "externalAgentConfig/import/readHistories": "ExternalAgentConfigImportHistoriesReadResponse",
}

function resultName(method: string, params: Schema | undefined, all: Record<string, Schema>): string | undefined {
  const words = method.split("/").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  const joined = `${words.join("")}Response`
  const candidates = [otherwise[method], resultOf(params), joined, joined.replace(/^Account/, "")]
  return candidates.find((name) => name !== undefined && name in all)
}

function resultOf(params: Schema | undefined): string | undefined {
  if (typeof params !== "object") return undefined
  const ref = params.$ref ?? params.anyOf?.flatMap((each) => (typeof each === "object" ? (each.$ref ?? []) : []))[0]
  return ref === undefined ? undefined : nameOf(ref).replace(/Params$/, "Response")
}
