import { readFileSync } from "node:fs"
import { join } from "node:path"
import { suiteAgents } from "@sandbox-agent/conformance/agents/scripted"
import { tested as ampTested } from "@sandbox-agent/test-agents/amp"
import { newest as claudeTested } from "@sandbox-agent/test-agents/claude"
import { tested as codexTested } from "@sandbox-agent/test-agents/codex"
import { tested as opencodeTested } from "@sandbox-agent/test-agents/opencode"
import { oldest as oldestPi, tested as piTested } from "@sandbox-agent/test-agents/pi"
import { expect, test } from "vitest"
import { createDrivers } from "../../src/drivers/drivers.ts"
import { nativeAgent, nativeAgents } from "../../src/drivers/table.ts"
import { root } from "../harness/daemon.ts"

const ids = nativeAgents.map(({ id }) => id)

/** Where the id of an agent may stand beside its folder: by file, why. */
const exceptions: Readonly<Record<string, string>> = {
  "bench/agents/adapters.ts": "adapters are measured beside what they adapt",
  "bench/cases/store-scale.ts": "sessions in a store, whoever's they are",
  "bench/store/filled.ts": "sessions in a store, whoever's they are",
  "conformance/src/agents/scripted.ts": "the table of the suite",
  "conformance/src/api.ts": "sessions of the suite's own tests",
  "conformance/src/kept-reports.ts": "the scripted agent is listed last: it is none to choose",
  "daemon/src/credentials/providers.ts": "names of model providers",
  "daemon/src/drivers/acp/elicitation.ts": "a field of the wire format of an adapter",
  "daemon/src/drivers/acp/updates.ts": "a field of the wire format of an adapter",
  "daemon/src/faces/pages/home.ts": "an example",
  "daemon/src/registry/builtin.ts": "the entries of adapters name what they adapt",
  "inspector/src/acting/composer.tsx": "the scripted agent takes commands in place of prompts",
  "inspector/src/sessions/new-session.tsx": "the scripted agent is there to try the page with",
  "inspector/src/sessions/session-view.tsx": "the scripted agent takes commands in place of prompts",
  "inspector/src/sessions/welcome.tsx": "the scripted agent is there to try the page with",
  "schema/src/contract/agents.ts": "an example",
  "schema/src/openapi/calls.ts": "examples",
  "schema/src/openapi/event-examples.ts": "an example",
  "schema/src/openapi/examples.ts": "an example",
  "schema/src/openapi/samples.ts": "examples",
  "schema/src/openapi/view-examples.ts": "examples",
  "schema/src/openapi/words/session-words.ts": "an example",
  "schema/src/session.ts": "an example",
  "scripts/schemas/agents.ts": "the table of the schemas",
  "test-agents/src/vendor-server.ts": "the vendors that it stands in for",
}

/** Folders with a file for each agent. */
const besideDriver = "conformance/src/agents|test-agents/src|bench/agents|scripts/schemas/(?:roots|sources)"

const isOfAgent = (file: string, id: string): boolean =>
  file.startsWith(`daemon/src/drivers/${id}/`) ||
  new RegExp(`^(?:${besideDriver})/(?:acp-)?${id}(?:-[a-z]+)?\\.ts$`).test(file)

const isTool = (file: string): boolean => /^(?:bench|scripts)\//.test(file)
/** Of tools from the top, else from `packages`. */
const pathOf = (file: string): string => join(root, isTool(file) ? "" : "packages", file)

test("the id of an agent stands in its folder, and elsewhere only where a reason is given", () => {
  const files = ["packages/*/src", "bench", "scripts"]
    .flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{ts,tsx}`).scanSync(root)])
    .map((file) => file.replace(/^packages\//, ""))
    .filter((file) => !file.endsWith(".gen.ts"))
  expect(files.length).toBeGreaterThan(500)
  const found = new Set<string>()
  for (const file of files.filter((one) => !one.startsWith("sandbox-agent/"))) {
    const code = readFileSync(pathOf(file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
    // What is measured and shown is mostly the scripted agent.
    for (const id of ids.filter((one) => one !== "mock" || !isTool(file))) {
      const named = new RegExp(
        `["'\`]${id}(?:-[a-z-]+)?["'\`]|(?<![\\w."'\`/-])${id}:(?!\\s*["'\`]?(?:string|number)\\b)`,
      )
      if (!isOfAgent(file, id) && named.test(code)) found.add(file)
    }
  }
  expect(found).toEqual(new Set(Object.keys(exceptions)))
})

test("an agent of the table has a driver that says the same id, or none yet", async () => {
  const programs = { locate: () => Promise.reject(new Error("nobody asks")) }
  const drivers = await createDrivers({ self: ["sandbox-agent"], version: "0", programs: () => programs as never })
  const withDriver = nativeAgents.filter(({ driver }) => driver !== undefined)
  expect(drivers.map(({ agent }) => agent)).toEqual(withDriver.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

test("the suite has a script for each agent that says so, and for no other of the table", () => {
  const scripted = nativeAgents.filter(({ isScripted }) => isScripted).map(({ id }) => id)
  expect(scripted).toEqual(ids.filter((id) => Object.hasOwn(suiteAgents, id)))
})

test("tests run the versions that the table calls tested", () => {
  const tested = {
    amp: ampTested,
    claude: claudeTested,
    codex: codexTested,
    opencode: opencodeTested,
    pi: piTested,
  }
  for (const [id, version] of Object.entries(tested)) expect(nativeAgent(id)?.install?.tested).toBe(version)
  expect(nativeAgent("pi")?.install?.supported?.from).toBe(oldestPi)
})
