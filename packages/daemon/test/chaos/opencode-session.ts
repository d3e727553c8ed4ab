import type { ScriptedModel } from "@sandbox-agent/scripted-model"
import type { TestDaemon } from "../harness/daemon.ts"
import { ChaosSession } from "./chaos-session.ts"
import { opencodeDialect } from "./dialects.ts"
import { type TaggedProcess, taggedProcessesOf } from "./tagged-processes.ts"

/** One session on a real OpenCode server that it shares with all the others. */
export class OpencodeChaosSession extends ChaosSession {
  readonly dialect = opencodeDialect

  constructor(
    daemon: TestDaemon,
    model: ScriptedModel,
    id: string,
    random: () => number,
    readonly home: string,
  ) {
    super(daemon, model, id, random)
  }

  override processes(): TaggedProcess[] {
    return taggedProcessesOf("", this.home)
  }

  /** A few folders for all: OpenCode takes seconds for each that it has not seen since its start. */
  create = (): Promise<void> => this.createWith({ agent: "opencode" }, this.id.endsWith("0") ? "a" : "b")
}
