import { type JsonObject, type JsonValue, listAt, stringAt } from "../json.ts"

export interface ToolEntry {
  /** What a script calls it: `mcp__server__tool` for a tool in a namespace. */
  fullName: string
  name: string
  namespace: string | undefined
}

// Codex's newer models get their tools in an `additional_tools` input item, inside this namespace.
const PLAIN_NAMESPACE = "functions"

export function toolEntries(body: JsonObject): ToolEntry[] {
  const additional = listAt(body, "input").filter((item) => stringAt(item, "type") === "additional_tools")
  return [...listAt(body, "tools"), ...additional.flatMap((item) => listAt(item, "tools"))].flatMap(entriesOf)
}

function entriesOf(tool: JsonValue): ToolEntry[] {
  const name = stringAt(tool, "name") ?? stringAt(tool, "type") ?? ""
  if (stringAt(tool, "type") !== "namespace") return [{ fullName: name, name, namespace: undefined }]
  return listAt(tool, "tools").map((inner) => {
    const innerName = stringAt(inner, "name") ?? ""
    if (name === PLAIN_NAMESPACE) return { fullName: innerName, name: innerName, namespace: undefined }
    return { fullName: `${name}__${innerName}`, name: innerName, namespace: name }
  })
}
