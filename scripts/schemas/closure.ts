import type { Method, Schema } from "./document.ts"
import { inside } from "./normalize.ts"

const prefix = "#/$defs/"

export function refTo(name: string): string {
  return prefix + name.replaceAll("~", "~0").replaceAll("/", "~1")
}

export function nameOf(ref: string): string {
  if (!ref.startsWith(prefix)) throw new Error(`a reference out of the document: ${ref}`)
  return ref.slice(prefix.length).replaceAll("~1", "/").replaceAll("~0", "~")
}

/** Every definition that these schemas name, and those that they name in turn. */
export function closure(from: Iterable<Schema>, definitions: Readonly<Record<string, Schema>>): Set<string> {
  const reached = new Set<string>()
  const waiting = [...from]
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (typeof schema === "object" && schema.$ref !== undefined) {
      const name = nameOf(schema.$ref)
      const definition = definitions[name]
      if (definition === undefined) throw new Error(`${name} is named but not defined`)
      if (!reached.has(name)) waiting.push(definition)
      reached.add(name)
    }
    for (const [, inner] of inside(schema)) waiting.push(inner)
  }
  return reached
}

export function schemasOf(method: Method): Schema[] {
  return [method.params, method.body, method.result].filter((schema) => schema !== undefined)
}
