import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cloudflareFile } from "./cloudflare-edge.ts"
import { daytonaFile } from "./daytona-edge.ts"
import { e2bFile } from "./e2b-edge.ts"
import { vercelFile } from "./vercel-edge.ts"

const root = join(import.meta.dirname, "../../../..")
const use = `
import { getSandbox, type Sandbox } from "@cloudflare/sandbox"
import { Daytona } from "@daytona/sdk"
import { Sandbox as VercelSandbox } from "@vercel/sandbox"
import { Sandbox as E2bSandbox } from "e2b"
import { cloudflare } from "sandbox-agent/cloudflare"
import { daytona } from "sandbox-agent/daytona"
import { e2b } from "sandbox-agent/e2b"
import { vercel } from "sandbox-agent/vercel"
declare const namespace: Parameters<typeof getSandbox<Sandbox>>[0]
e2b({ Sandbox: E2bSandbox })
vercel({ Sandbox: VercelSandbox })
daytona({ Daytona })
cloudflare({ sandbox: (id) => getSandbox(namespace, id) })
// @ts-expect-error It is none of theirs.
e2b({ Sandbox: Date })
`

test("what is used of the vendors' packages is what their own declarations have", { timeout: 240_000 }, () => {
  const work = mkdtempSync(join(tmpdir(), "sandbox-agent-vendor-types-"))
  const options = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      lib: ["ESNext", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      paths: {
        e2b: [e2bFile.replace(/mjs$/, "d.mts")],
        "@vercel/sandbox": [vercelFile.replace(/js$/, "d.ts")],
        "@daytona/sdk": [daytonaFile.replace(/js$/, "d.ts")],
        "@cloudflare/sandbox": [cloudflareFile.replace(/js$/, "d.ts")],
        "sandbox-agent/*": [join(root, "packages/sandbox-agent/src/sandbox/*.ts")],
        "acp-http-client": [join(root, "packages/acp-http-client/src/acp-http-client.ts")],
      },
    },
    files: [join(work, "use.ts"), join(root, "packages/sandbox-agent/src/socket/ws.d.ts")],
    include: [],
  }
  writeFileSync(join(work, "use.ts"), use)
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify(options))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const { stdout, status } = spawnSync("node", [tsc, "-p", join(work, "tsconfig.json")], { encoding: "utf8" })
  rmSync(work, { recursive: true })
  expect(stdout).toBe("")
  expect(status).toBe(0)
})
