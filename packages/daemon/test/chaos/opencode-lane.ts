import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { TestDaemon } from "../harness/daemon.ts"
import { type Carrier, carriersOf } from "./carriers.ts"
import { Lane } from "./lane.ts"
import { opencodeTongue } from "./tongues.ts"

/** One session on a real OpenCode server that it shares with all the others. */
export class OpencodeLane extends Lane {
  readonly tongue = opencodeTongue

  constructor(
    daemon: TestDaemon,
    model: ScriptedModel,
    id: string,
    random: () => number,
    readonly home: string,
  ) {
    super(daemon, model, id, random)
  }

  override carriers(): Carrier[] {
    return carriersOf("", this.home)
  }

  /** A few folders for all: OpenCode takes seconds for each that it has not seen since its start. */
  create = (): Promise<void> => this.createWith({ agent: "opencode" }, this.id.endsWith("0") ? "a" : "b")
}
