import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { buildSandboxAgent } from "../packages/sandbox-agent/scripts/build.ts"
import { referencePage } from "../packages/sandbox-agent/scripts/reference.ts"
import { faultsOfPages } from "./docs/check.ts"
import { generatedPages } from "./pages.ts"

/** Writes the generated pages. */
for (const [path, make] of Object.entries(generatedPages)) {
  await Bun.write(join(import.meta.dir, "..", path), make())
  console.log(path)
}

/** Made last, and from what is published: its types come from a page above. */
const dist = mkdtempSync(join(tmpdir(), "sandbox-agent-docs-"))
await buildSandboxAgent(dist)
await Bun.write(join(import.meta.dir, "..", "docs/sdks/typescript/reference.mdx"), referencePage(dist))
rmSync(dist, { recursive: true })
console.log("docs/sdks/typescript/reference.mdx")

const faults = faultsOfPages()
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
