import { readFileSync } from "node:fs"
import type { Nodes } from "mdast"
import { fromMarkdown } from "mdast-util-from-markdown"
import { mdxFromMarkdown } from "mdast-util-mdx"
import { mdxjs } from "micromark-extension-mdxjs"

/** A block of code, with what stands behind its language. */
export interface Fence {
  language: string
  meta: string
  text: string
  line: number
  /** What it prints, where a block of `text` follows at once. */
  output?: string
}

export interface Page {
  title?: string
  description?: string
  /** Anchors of its headings. */
  anchors: string[]
  links: { to: string; line: number }[]
  fences: Fence[]
  /** Lines of headings that stand as high as the title. */
  topHeadings: number[]
}

/** What a heading is called in an address, on Mintlify and on GitHub. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-")

const textOf = (node: Nodes): string =>
  "value" in node ? node.value : "children" in node ? node.children.map(textOf).join("") : ""

const headPattern = /^---\n([\s\S]*?)\n---\n/

const read = new Map<string, Page>()

/** A page as it is written: `.mdx` must be MDX, everything else is plain Markdown. Throws where it cannot be read. */
export function readPage(path: string): Page {
  const page = read.get(path) ?? parsed(path)
  read.set(path, page)
  return page
}

function parsed(path: string): Page {
  const whole = readFileSync(path, "utf8")
  const [head = "", fields = ""] = headPattern.exec(whole) ?? []
  const field = (name: string): string | undefined => {
    const [, value] = new RegExp(`^${name}: (".*")$`, "m").exec(fields) ?? []
    return value === undefined ? undefined : (JSON.parse(value) as string)
  }
  const before = head.split("\n").length - 1
  const extensions = path.endsWith(".mdx")
    ? { extensions: [mdxjs()], mdastExtensions: [mdxFromMarkdown()] }
    : { extensions: [], mdastExtensions: [] }
  const page: Page = {
    title: field("title"),
    description: field("description"),
    ...{ anchors: [], links: [], fences: [], topHeadings: [] },
  }
  visit(fromMarkdown(whole.slice(head.length), extensions), page, before)
  return page
}

function visit(node: Nodes, page: Page, before: number): void {
  const line = (node.position?.start.line ?? 0) + before
  if (node.type === "heading") {
    page.anchors.push(anchorOf(textOf(node)))
    if (node.depth === 1) page.topHeadings.push(line)
  }
  if (node.type === "link" || node.type === "image") page.links.push({ to: node.url, line })
  if (node.type === "code")
    page.fences.push({ language: node.lang ?? "", meta: node.meta ?? "", text: `${node.value}\n`, line })
  if (!("children" in node)) return
  node.children.forEach((child, at) => {
    visit(child, page, before)
    const [above] = node.children.slice(Math.max(0, at - 1), at)
    if (child.type === "code" && child.lang === "text" && above?.type === "code") {
      const printing = page.fences.at(-2)
      if (printing !== undefined) printing.output = `${child.value}\n`
    }
  })
}
