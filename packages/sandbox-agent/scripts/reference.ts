import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface Declared {
  name: string
  /** What stands in front of it. */
  doc: string
  text: string
}

const beginning = /^export (?:declare )?(?:abstract )?(class|interface|type|function|const) ([A-Za-z]\w*)/

/** Every exported declaration of a file, whole, with its comment. The compiler writes one after the other. */
function declaredIn(file: string): Declared[] {
  const lines = readFileSync(file, "utf8").split("\n")
  const found: Declared[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, , name] = beginning.exec(lines[at] ?? "") ?? []
    if (name === undefined) continue
    let from = at
    if (lines[at - 1]?.trimEnd().endsWith("*/")) while (!lines[--from]?.startsWith("/**"));
    let end = at
    // A member, or a part of a type, stands further in.
    while (/^[\s})\]|&]/.test(lines[end + 1] ?? "x") && lines[end + 1] !== "") end++
    const text = lines.slice(at, end + 1).filter((line) => !/^\s+(#private|readonly \[marker\]|private )/.test(line))
    found.push({ name, doc: lines.slice(from, at).join("\n"), text: text.join("\n") })
    at = end
  }
  return found
}

/** What an entry exports, in its order: its own, and what it takes from other files. */
function exportedBy(file: string): Declared[] {
  const text = readFileSync(file, "utf8")
  const others = [...text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from "(\.[^"]+)\.js";/gm)]
  const taken = others.flatMap(([, names = "", path = ""]) => {
    const all = declaredIn(join(dirname(file), `${path}.d.ts`))
    const wanted = names.match(/\w+/g)?.filter((word) => word !== "type") ?? []
    return names === "*" ? all : wanted.flatMap((name) => all.filter((one) => one.name === name))
  })
  return [...declaredIn(file), ...taken]
}

/** The first sentence of a comment, as text. */
const summaryOf = (doc: string): string => {
  const text = doc
    .replaceAll(/^\s*\/?\*+\/?/gm, " ")
    .replaceAll(/\*\/|\s+/g, " ")
    .trim()
  return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replaceAll(/[<{}]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Overloads are several declarations of one name. */
function grouped(all: readonly Declared[]): Declared[] {
  const byName = new Map<string, Declared>()
  for (const { name, doc, text } of all) {
    const before = byName.get(name)
    const whole = doc === "" ? text : `${doc}\n${text}`
    byName.set(name, { name, doc: before?.doc || doc, text: before === undefined ? whole : `${before.text}\n${whole}` })
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Every name that the published package exports, from its declarations. */
export function referencePage(dist: string): string {
  const { exports } = JSON.parse(readFileSync(join(dist, "package.json"), "utf8")) as {
    exports: Record<string, string | { types: string }>
  }
  const sections = Object.entries(exports).flatMap(([path, entry]) => {
    if (typeof entry === "string") return []
    const names = grouped(exportedBy(join(dist, entry.types))).map(({ name, doc, text }) => {
      const summary = summaryOf(doc)
      const title = `<code>${name}</code>${summary === "" ? "" : `: ${summary}`}`
      return `<details>\n<summary>${title}</summary>\n\n\`\`\`ts\n${text}\n\`\`\`\n\n</details>\n`
    })
    return [`## \`${join("sandbox-agent", path)}\`\n`, ...names]
  })
  return [
    '---\ntitle: "Reference of the TypeScript client"\ndescription: "Every name that the package exports."\n---\n',
    "Made from the declarations of the package by `npm run docs`; do not edit. The shapes of requests and answers are those of the [contract](../../openapi.json).\n",
    ...sections,
  ].join("\n")
}
