import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"
import type { AcpTraits } from "@sandbox-agent/schema/registry"
import { sharingOf } from "./sharing.ts"

/** An ACP agent: what is known of it before it runs. */
export interface AcpAgent {
  readonly id: string
  readonly name: string
  /** Words after its program, such as `--acp`. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly traits: AcpTraits
}

/** What no agent may declare because the protocol has no way to say it. */
const safe: readonly string[] = [
  ...["textMessages", "toolCalls", "toolResults", "streamingDeltas", "itemStarted", "reasoning", "errorEvents"],
  ...["permissions", "questions", "sessionLifecycle", "status", "commandExecution", "fileChanges", "fileAttachments"],
  ...["interrupt", "plans"],
]

/** An agent nobody has tried can what the protocol asks of all; the rest has to be known. */
export const capabilitiesOf = ({ capabilities = {}, sessions }: AcpTraits): Capabilities =>
  Object.fromEntries(
    capabilityNames.map((name) => [
      name,
      capabilities[name] ?? (name === "sharedProcess" ? sharingOf({ sessions }) !== "one" : safe.includes(name)),
    ]),
  ) as Capabilities

/** Variables any of which is a login. */
export const loginVariables = ({ traits }: AcpAgent): string[] => (traits.login ?? []).flatMap(({ env }) => env ?? [])
