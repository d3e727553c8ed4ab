import { differences } from "./face/differences.ts"
import { overRest } from "./face/over-rest.ts"
import type { Report, Result } from "./report.ts"
import { type RequirementId, requirements } from "./requirements.ts"

/** What each group of requirements is called, in the order of the page. */
const groups = {
  text: "Text",
  reasoning: "Reasoning",
  tool: "Tool calls",
  command: "Commands",
  file: "File changes",
  permission: "Permissions",
  mode: "Permission modes",
  question: "Questions",
  approval: "Plan approval",
  plan: "Plans",
  subagent: "Sub-agents",
  mcp: "MCP servers",
  skills: "Skills",
  attachment: "Attachments",
  setting: "Modes, models, variants",
  usage: "Usage",
  message: "Queue and steer",
  interrupt: "Interrupt",
  resume: "Resume",
  fork: "Fork",
  memory: "Memory",
  error: "Errors",
  status: "Status",
  process: "Processes",
  log: "Every log",
} as const

export const groupOf = (id: RequirementId): string => id.slice(0, id.indexOf("."))

/** ✓ in the events, – not there though the agent has it, blank: the agent cannot. */
export function markOf(results: readonly Result[], id: RequirementId): string {
  const verdicts = results.filter(({ requirement }) => requirement === id)
  if (verdicts.length > 0 && verdicts.every(({ status }) => status === "passed")) return "✓"
  return verdicts.some(({ status, has }) => status === "failed" || has === true) ? "–" : ""
}

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`

const whyNot = ({ status, reason, scenario }: Result): string | undefined =>
  status === "failed" ? `not met yet: ${scenario}` : reason

/** Why a cell is not ticked, once for each reason. */
function notes(reports: readonly Report[]): string[] {
  return reports.flatMap(({ name, results }) => {
    const reasons = [...new Set(results.flatMap((result) => whyNot(result) ?? []))]
    return reasons.map((reason) => {
      const ids = results.filter((result) => whyNot(result) === reason).map(({ requirement }) => `\`${requirement}\``)
      return `- ${name}: ${reason} (${ids.join(", ")})`
    })
  })
}

const overTheFace: readonly string[] = [
  "\n## Over the ACP face\n",
  "The same scenarios run with a client that speaks ACP, and every agent passes there what it passes over REST",
  "(`sandbox-agent conformance <agent> --face acp`). After each of them three transcripts must agree: what the client saw",
  "live, what another one gets by `session/load`, and the items of REST. Where ACP says less, or says it otherwise:\n",
  ...Object.values(differences).map((reason) => `- ${reason}`),
  "\nDone over REST in these runs, because ACP has no word for it:\n",
  ...Object.values(overRest).map((reason) => `- ${reason}`),
]

/** The page of the feature matrix, from the reports that are checked in. */
export function matrixPage(reports: readonly Report[]): string {
  const features = Object.entries(groups).flatMap(([group, title]) => [
    row([`**${title}**`, ...reports.map(() => "")]),
    ...requirements
      .filter(({ id }) => groupOf(id) === group)
      .map(({ id, text }) => row([text, ...reports.map(({ results }) => markOf(results, id))])),
  ])
  return [
    "---",
    'title: "Agent compatibility"',
    'description: "What each agent can do, measured by the conformance suite."',
    "---\n",
    "Made from `docs/conformance/*.json` by `npm run docs`; do not edit. Each row is a requirement of the conformance",
    "suite, run on the real agent through the public API; only its model is scripted.",
    "`sandbox-agent conformance <agent>` runs it on your machine.\n",
    "✓ it is in the events · – the agent has it but it is not converted · blank: the agent cannot\n",
    row(["", ...reports.map(({ name }) => name)]),
    row(["---", ...reports.map(() => ":-:")]),
    row(["Stability", ...reports.map(({ stability }) => stability)]),
    row(["Version tested", ...reports.map(({ version }) => version ?? "")]),
    ...features,
    "\n## Why a cell is not ticked\n",
    ...notes(reports),
    ...overTheFace,
    "",
  ].join("\n")
}

/** Groups that the page would leave out; a test holds this empty. */
export const ungrouped = (): string[] => requirements.map(({ id }) => id).filter((id) => !(groupOf(id) in groups))
