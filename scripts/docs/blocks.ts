import { readFileSync } from "node:fs"
import { join } from "node:path"
import { errors } from "@sandbox-agent/schema/error"
import { traitsOf } from "@sandbox-agent/schema/registry"
import { turnErrorCodes } from "@sandbox-agent/schema/turn-error-codes"
import { envOf, keyOf, type ServerFlag, serverFlags } from "../../packages/daemon/src/cli/server-flags.ts"
import { commandList } from "../../packages/daemon/src/drivers/mock/agent/commands/table.ts"
import { nativeAgents } from "../../packages/daemon/src/drivers/table.ts"
import { adapted, provenEntries } from "../../packages/daemon/src/registry/builtin.ts"
import { modelProviders } from "../../packages/daemon/src/registry/model-providers.ts"
import { everyChildSees } from "../../packages/daemon/src/supervisor/environment.ts"
import { intervalRows, limitSections } from "./bounds.ts"
import { capabilityRows } from "./capabilities.ts"
import { endpoints, eventParts, eventTypes } from "./contract.ts"
import { escapeMdx } from "./head.ts"
import { row, table } from "./table.ts"

const root = join(import.meta.dirname, "../..")
const code = (text: string): string => `\`${text}\``
const codes = (names: readonly string[]): string => names.map(code).join(", ")

const variables = (): string => {
  const providers = new Set(modelProviders)
  const named = (all: readonly string[]): string => {
    const whole = modelProviders.every((name) => all.includes(name))
    const own = whole ? all.filter((name) => !providers.has(name)) : all
    return [codes(own), ...(whole ? ["the model providers below"] : [])].filter((text) => text !== "").join(", ")
  }
  const native = nativeAgents
    .filter(({ variables }) => variables.length > 0)
    .map(({ id, variables }) => row([code(id), named(variables)]))
  const others = provenEntries
    .filter(({ id }) => adapted[id] === undefined)
    .map((entry) => row([code(entry.id), named(traitsOf(entry).variables ?? [])]))
  const adapters = Object.entries(adapted)
    .filter(([id]) => provenEntries.some((entry) => entry.id === id))
    .map(([id, agent]) => row([code(id), `what ${code(agent)} sees`]))
  return [
    row(["agent", "sees of the daemon's environment, beside what all see"]),
    row(["---", "---"]),
    ...native,
    ...adapters,
    ...others,
    "",
    `**All see** ${codes(everyChildSees)}.`,
    "",
    `**Model providers:** ${codes(modelProviders)}.`,
  ].join("\n")
}

const settings = (): string => {
  const lines = (serverFlags as readonly ServerFlag[]).map((flag) => {
    const value = flag.values?.join("|") ?? flag.placeholder
    const shown = `--${flag.name}${value === undefined ? "" : ` ${value}`}`
    const byDefault = flag.defaultText ?? (flag.default === undefined ? undefined : code(String(flag.default)))
    const key = flag.notInFile ? "" : code(keyOf(flag.name))
    return [code(shown.replaceAll("|", "\\|")), code(envOf(flag.name)), key, flag.help, byDefault ?? "off"]
  })
  return table(["flag", "environment", "key", "meaning", "default"], lines)
}

const metrics = (): string => {
  const source = readFileSync(join(root, "packages/daemon/src/faces/universal/metrics.ts"), "utf8")
  const found = [...source.matchAll(/metric\("(\w+)", "(\w+)", "([^"]+)"/g)]
  return table(
    ["name", "type", "what"],
    found.map(([, name, type = "", help = ""]) => [code(`sandbox_agent_${name}`), type, help]),
  )
}

/** What stands between the marks of a page, by the word in them. */
const blocks: Readonly<Record<string, () => string>> = {
  errors: () =>
    table(
      ["code", "status", "title", "what to do", "exit code"],
      Object.entries(errors).map(([name, e]) => [
        code(name),
        String(e.status),
        e.title,
        escapeMdx(e.hint.replaceAll(/\b(?:GET|POST) \/[^\s`]*[^\s`.,;]/g, code)),
        String(e.exit),
      ]),
    ),
  "turn errors": () =>
    table(
      ["code", "what it means"],
      Object.entries(turnErrorCodes).map(([name, meaning]) => [code(name), meaning]),
    ),
  capabilities: capabilityRows,
  endpoints,
  "event types": eventTypes,
  "event parts": eventParts,
  limits: limitSections,
  intervals: intervalRows,
  metrics,
  "mock commands": () =>
    table(
      ["command", "does"],
      commandList.map(({ name, hint, description }) => [code(`/${name} ${hint ?? ""}`.trimEnd()), description]),
    ),
  settings,
  variables,
}

const marked = /(\{\/\* made by npm run docs: ([a-z ]+) \*\/\}\n)[\s\S]*?(\{\/\* end \*\/\})/g

export const hasBlocks = (text: string): boolean => text.includes("{/* made by npm run docs:")

/** A written page with its blocks as the code has them now. */
export const withBlocks = (text: string): string =>
  text.replaceAll(marked, (_, begin: string, name: string, end: string) => {
    const make = blocks[name]
    if (make === undefined) throw new Error(`nothing is called ${name}`)
    return `${begin}\n${make()}\n\n${end}`
  })
