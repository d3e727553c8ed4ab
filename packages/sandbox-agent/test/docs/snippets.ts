import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { pagePaths } from "../../../../scripts/docs/check.ts"
import { type Fence, readPage } from "../../../../scripts/docs/page.ts"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export interface Snippet extends Fence {
  /** The page and the place on it, as a name of a file. */
  name: string
  page: string
  /** Why nobody can run it here, where the page says so. */
  notRun?: string
}

/** Made from the code: declarations and help, nothing to be run. */
const made = ["docs/cli.mdx", "docs/sdks/typescript/reference.mdx"]

/** Every block of code of one page. */
export const snippetsOf = (page: string): Snippet[] =>
  readPage(join(root, page)).fences.map((fence, at) => ({
    ...fence,
    page,
    name: `${page
      .replace(/^docs\//, "")
      .replaceAll("/", "-")
      .replace(/\.mdx?$/, "")}-${at + 1}`,
    notRun: /not-run="([^"]+)"/.exec(fence.meta)?.[1],
  }))

/** Those of every page, and of the README. */
export const allSnippets = (): Snippet[] =>
  ["README.md", ...pagePaths().filter((path) => !made.includes(path))].flatMap(snippetsOf)

/** The agent that is built in answers for those that need a login, and the daemon of the test for that of the reader. */
export const asRun = (text: string, baseUrl: string): string =>
  text
    .replaceAll(/((?:"agent"|agent): ?|--agent |"agent":)("?)(?:claude|codex)\2/g, "$1$2mock$2")
    .replaceAll("http://127.0.0.1:2468", baseUrl)
    .replaceAll("ws://127.0.0.1:2468", baseUrl.replace("http", "ws"))
