import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { type Page, readPage } from "./page.ts"

const root = join(import.meta.dirname, "../..")

/** Beside the pages: read where they lie, by those who work on the product. */
const besides = ["README.md", "CONTRIBUTING.md", "docs/decisions.md", "docs/schemas.md"]

/** What each block of code is checked as; what cannot be run here says so with `not-run="why"`. */
const languages = ["ts", "tsx", "sh", "json", "html", "text", "dockerfile", "ini", "yaml", "lua"]

type Entry = string | { group: string; pages: Entry[] }

export const pagePaths = (): string[] =>
  readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".mdx"))
    .map((path) => join("docs", path))
    .sort()

/** What is wrong with the pages: each a line that names the file. */
export function faultsOfPages(): string[] {
  const faults: string[] = []
  const pages = new Map<string, Page>()
  for (const path of [...pagePaths(), ...besides])
    try {
      pages.set(path, readPage(join(root, path)))
    } catch (error) {
      faults.push(`${path}: ${String(error)}`)
    }
  for (const [path, page] of pages) {
    if (path.endsWith(".mdx")) faults.push(...faultsOfOne(path, page))
    for (const { to, line } of page.links) {
      const why = faultOfLink(path, to, pages)
      if (why !== undefined) faults.push(`${path}:${line}: ${to} ${why}`)
    }
  }
  return [...faults, ...faultsOfNavigation()]
}

function faultsOfOne(path: string, { title, description, topHeadings, fences, anchors }: Page): string[] {
  const twice = anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)
  return [
    ...(title === undefined ? [`${path}: has no title`] : []),
    ...(description?.endsWith(".") ? [] : [`${path}: has no description that is a sentence`]),
    ...topHeadings.map((line) => `${path}:${line}: the title is the only heading of the first level`),
    ...twice.map((anchor) => `${path}: two headings are called ${anchor}`),
    ...fences
      .filter(({ language }) => !languages.includes(language))
      .map(({ language, line }) => `${path}:${line}: a block in "${language}", which nothing checks`),
  ]
}

function faultOfLink(from: string, to: string, pages: ReadonlyMap<string, Page>): string | undefined {
  if (/^(https?:|mailto:)/.test(to)) return
  const [path = "", anchor] = to.split("#")
  if (from.endsWith(".mdx") && path !== "" && !/^\.\.?\//.test(path)) return "must begin with ./ or ../"
  const target = path === "" ? from : relative(root, join(root, dirname(from), path))
  if (!existsSync(join(root, target))) return "leads nowhere"
  // Examples lie beside the pages in the repository, and nowhere else.
  if (from.endsWith(".mdx") && !/^(docs|examples)\//.test(target)) return "leads out of the pages"
  if (from.endsWith(".mdx") && target.endsWith(".md")) return "leads to a file that is no page"
  if (anchor !== undefined && pages.get(target)?.anchors.includes(anchor) === false) return "leads to no heading"
}

/** Every page is in the navigation, once; everything there is a page. */
function faultsOfNavigation(): string[] {
  const { navigation } = JSON.parse(readFileSync(join(root, "docs/docs.json"), "utf8")) as {
    navigation: { tabs: { groups?: Entry[] }[] }
  }
  const namesIn = (entry: Entry): string[] => (typeof entry === "string" ? [entry] : entry.pages.flatMap(namesIn))
  const named = navigation.tabs.flatMap(({ groups = [] }) => groups.flatMap(namesIn))
  const there = pagePaths().map((path) => relative("docs", path).replace(/\.mdx$/, ""))
  return [
    ...there.filter((name) => !named.includes(name)).map((name) => `docs/docs.json: leaves out ${name}`),
    ...named.filter((name) => !there.includes(name)).map((name) => `docs/docs.json: there is no page ${name}`),
    ...named.filter((name, at) => named.indexOf(name) !== at).map((name) => `docs/docs.json: has ${name} twice`),
  ]
}
