import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fetched } from "@sandbox-agent/test-agents/fetched"

// In a folder of its own: it needs a TypeScript with an API, which the one of this repository has not.
const generator = {
  name: "openapi-typescript-7.13.0",
  spec: "openapi-typescript@7.13.0",
  also: ["typescript@5.9.3"],
  file: "openapi-typescript/bin/cli.js",
}

interface Operation {
  operationId: string
  tags: string[]
  responses: Record<string, unknown>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

/** The types of the operations and schemas that the client uses, made from the OpenAPI document. */
export function sdkTypes(document: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-types-"))
  try {
    const input = join(folder, "openapi.json")
    const output = join(folder, "openapi.ts")
    writeFileSync(input, JSON.stringify(universalPart(document as Document)))
    const { status, stderr } = spawnSync(process.execPath, [fetched(generator), input, "-o", output], {
      encoding: "utf8",
    })
    if (status !== 0) throw new Error(`no types could be made: ${stderr}`)
    const made = readFileSync(output, "utf8")
    const from = made.indexOf("export interface components")
    return formatted(`/** Made from docs/openapi.json by \`npm run docs\`; do not edit. */\n\n${made.slice(from)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Without what speaks the agents' protocol, second names of the same operation, errors (all are one type) and examples. */
export function universalPart(document: Document): Document {
  const copy = JSON.parse(
    JSON.stringify(document, (key, value) => (key === "examples" ? undefined : value)),
  ) as Document
  for (const [path, operations] of Object.entries(copy.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (isOutside(operation)) delete operations[method]
      for (const code of Object.keys(operation.responses)) if (Number(code) >= 400) delete operation.responses[code]
    }
    if (Object.keys(operations).length === 0) delete copy.paths[path]
  }
  for (const name of Object.keys(copy.components.schemas))
    if (name.startsWith("Acp")) delete copy.components.schemas[name]
  return copy
}

/** Second names end in V2; what is left is the protocol of the agents, which the connection speaks. */
export const isOutside = ({ operationId, tags }: Operation): boolean =>
  operationId.endsWith("V2") || tags.includes("acp") || operationId === "listAcpServers"

function formatted(text: string): string {
  const root = join(import.meta.dirname, "../../..")
  const words = ["format", "--stdin-file-path", join(root, "packages/sandbox-agent/src/openapi.gen.ts")]
  const { status, stdout, stderr } = spawnSync(join(root, "node_modules/.bin/biome"), words, {
    input: text,
    encoding: "utf8",
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`biome: ${stderr}`)
  return stdout
}
