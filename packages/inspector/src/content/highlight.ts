import hljs from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import css from "highlight.js/lib/languages/css"
import diff from "highlight.js/lib/languages/diff"
import go from "highlight.js/lib/languages/go"
import java from "highlight.js/lib/languages/java"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import markdown from "highlight.js/lib/languages/markdown"
import python from "highlight.js/lib/languages/python"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"

const languages = { bash, css, diff, go, java, javascript, json, markdown, python, rust, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language)

export type Highlighted = string | { scope: string; children: Highlighted[] }

interface Node {
  scope?: string
  children: (Node | string)[]
}

/** As a tree: the library's HTML is not used. */
export function highlight(code: string, language: string): readonly Highlighted[] {
  if (hljs.getLanguage(language) === undefined) return [code]
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true }) as unknown as {
    _emitter: { rootNode: Node }
  }
  return _emitter.rootNode.children.map(told)
}

const told = (node: Node | string): Highlighted =>
  typeof node === "string" ? node : { scope: nameOf(node.scope), children: node.children.map(told) }

/** `title.function` is a title first. */
const nameOf = (scope = ""): string => scope.split(".")[0]?.replace(/[^\w-]/g, "") ?? ""
