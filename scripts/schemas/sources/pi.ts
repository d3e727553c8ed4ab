import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Extracted, Method, Schema } from "../document.ts"
import { unpacked } from "../packages.ts"
import { convertedBy, fromDeclarations, rewrite, variantsBy } from "./declarations.ts"

/** Parameters of tools are TypeBox schemas: JSON that we only carry. Newer versions write settings of models out. */
const opaque = `
declare module "typebox" { export type TSchema = unknown; export type Static<T> = unknown }
declare module "@earendil-works/pi-schema" {
  export interface Schema<T> { type: T }
  export type Static<S extends { type: unknown }> = S["type"]
}
`

export function extractPi(version: string): Extracted {
  const names = ["pi-coding-agent", "pi-agent-core", "pi-ai"].map((name) => `@earendil-works/${name}`)
  const packages = Object.fromEntries(names.map((name) => [name, version]))
  const types = (file: string): string => join("node_modules", names[0] as string, "dist", file)
  const proof = types("modes/rpc/rpc-types.d.ts")
  const folder = unpacked(`pi-types-${version}`, packages, proof)
  plainer(join(folder, "node_modules/@earendil-works"))
  const definitions = fromDeclarations({
    files: [join(folder, proof), join(folder, types("core/agent-session.d.ts"))],
    types: ["RpcCommand", "RpcResponse", "RpcExtensionUIRequest", "RpcExtensionUIResponse", "AgentSessionEvent"],
    words: true,
    opaque,
  })
  return {
    source: `${names[0]}@${version}`,
    extracted: `rpc-types.d.ts and agent-session.d.ts by ${convertedBy}`,
    methods: {
      commands: commands(definitions),
      events: variantsBy(definitions.AgentSessionEvent, ["type"], definitions),
      extensionRequests: variantsBy(definitions.RpcExtensionUIRequest, ["method"], definitions),
    },
    definitions,
  }
}

/** Types that only the compiler itself can work out: a condition on a parameter, an interface added to from outside. */
function plainer(packages: string): void {
  rewrite(join(packages, "pi-ai/dist/types.d.ts"), [
    [/IsJsonCompatible<TDetails> extends true \?/, "true extends true ?"],
    [/JsonRepresentation<TDetails>/g, "JsonValue"],
  ])
  for (const name of ["model-schema", "compat-schema"]) {
    const file = join(packages, `pi-ai/dist/providers/${name}.d.ts`)
    if (!existsSync(file)) continue
    rewrite(file, [
      [/import \{ type Static \}/, "import { type Schema, type Static }"],
      [/import\("@earendil-works\/pi-schema"\)\./g, ""],
    ])
  }
  const messages = "pi-coding-agent/dist/core/messages"
  const text = readFileSync(join(packages, `${messages}.d.ts`), "utf8")
  const added = /interface CustomAgentMessages \{([^}]*)\}/.exec(text)?.[1] ?? ""
  const names = [...added.matchAll(/: (\w+);/g)].map(([, name]) => name)
  if (names.length === 0) return
  const types = `import type { ${names.join(", ")} } from "../../${messages}.ts";\n`
  rewrite(join(packages, "pi-agent-core/dist/types.d.ts"), [
    [/^(?=[\s\S]*CustomAgentMessages\[keyof)/, types],
    [/CustomAgentMessages\[keyof CustomAgentMessages\]/, names.join(" | ")],
  ])
}

/** Commands with what answers each. */
function commands(definitions: Record<string, Schema>): Record<string, Method> {
  const results = variantsBy(definitions.RpcResponse, ["command"], definitions)
  const found = variantsBy(definitions.RpcCommand, ["type"], definitions)
  return Object.fromEntries(
    Object.entries(found).map(([name, { params }]) => {
      const result = results[name]?.params
      return [name, { params, ...(result === undefined ? {} : { result }) }]
    }),
  )
}
