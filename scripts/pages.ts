import { readFileSync } from "node:fs"
import { join } from "node:path"
import { keptReports } from "@sandbox-agent/conformance/kept-reports"
import { matrixPage } from "@sandbox-agent/conformance/matrix"
import { contractGroups } from "@sandbox-agent/schema/contract/contract"
import type { Route } from "@sandbox-agent/schema/contract/route"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { allCommands, helpFor } from "../packages/daemon/src/cli/help.ts"
import { version } from "../packages/daemon/src/cli/version.ts"
import { sdkTypes } from "../packages/sandbox-agent/scripts/types.ts"
import { hasBlocks, withBlocks } from "./docs/blocks.ts"
import { pagePaths } from "./docs/check.ts"
import { escapeMdx, headOf } from "./docs/head.ts"

const WIDTH = 110
const plain = (_: string, text: string): string => text
const fenced = (text: string): string => `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`

/** The command line, as its own help tells it. */
function cliPage(): string {
  const sections = allCommands.map(
    (command) =>
      `<details>\n<summary><code>${command.words.join(" ")}</code>: ${escapeMdx(command.summary)}</summary>\n\n${fenced(helpFor(command.words, plain, WIDTH))}\n</details>\n`,
  )
  return [
    headOf("Command line", "Every command and flag of sandbox-agent."),
    "Made from the same tree as `sandbox-agent help` by `npm run docs`; do not edit.\n",
    fenced(helpFor([], plain, WIDTH)),
    "## Commands\n",
    ...sections,
    "## Exit codes\n",
    fenced(helpFor(["exit-codes"], plain, WIDTH)),
    "## Environment\n",
    fenced(helpFor(["environment"], plain, WIDTH)),
  ].join("\n")
}

/** What the router knows of each route before its schemas are made. */
function routeHeads(): string {
  const line = (group: string, route: Route): string => {
    const { id, method, path, alsoAt = [], open, params, query, body, answer, status } = route
    const paths = [path, ...alsoAt].map((one) => JSON.stringify(one)).join(", ")
    const takesNothing = params === undefined && query === undefined && body === undefined
    const bare = takesNothing ? `, bare: { answer: "${answer}", status: ${status} }` : ""
    return `  ${id}: { group: "${group}", method: "${method}", paths: [${paths}]${open ? ", open: true" : ""}${bare} },`
  }
  const lines = Object.entries(contractGroups).flatMap(([group, routes]) =>
    Object.values(routes).map((route: Route) => line(group, route)),
  )
  return [
    "// Made from the contract by `npm run docs`; do not edit.",
    "// biome-ignore-all format: one line for each route",
    'import type { RouteId } from "./contract.ts"',
    'import type { RouteHead } from "./on-demand.ts"',
    "",
    "export const routeHeads: Readonly<Record<RouteId, RouteHead>> = {",
    ...lines,
    "}",
    "",
  ].join("\n")
}

/** The client is published by itself and has nothing of the schema but what is made from it. */
const shellWords = (): string =>
  `// Made from packages/schema/src/shell-word.ts by \`npm run docs\`; do not edit.\n${readFileSync(
    join(import.meta.dirname, "../packages/schema/src/shell-word.ts"),
    "utf8",
  )}`

/** Pages that are written, with tables in them that are made. */
const withTables = pagePaths().flatMap((path): [string, () => string][] => {
  const text = readFileSync(join(import.meta.dirname, "..", path), "utf8")
  return hasBlocks(text) ? [[path, () => withBlocks(text)]] : []
})

/** Every page that is made and not written, by its path in the repository. A test compares them with what is there. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  "docs/openapi.json": () => `${JSON.stringify(buildOpenApi(version), null, 2)}\n`,
  "packages/sandbox-agent/src/openapi.gen.ts": () => sdkTypes(buildOpenApi(version)),
  "packages/sandbox-agent/src/shell-word.gen.ts": shellWords,
  "docs/cli.mdx": cliPage,
  "packages/schema/src/contract/heads.gen.ts": routeHeads,
  "docs/agent-compatibility.mdx": () => matrixPage(keptReports(join(import.meta.dirname, "../docs/conformance"))),
  ...Object.fromEntries(withTables),
}
