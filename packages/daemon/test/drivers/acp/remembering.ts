import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { expect } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import type { Session } from "../../../src/core/session.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { scratch } from "../../harness/daemon.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import type { Rules, State } from "./remembering-agent.ts"

const program = fileURLToPath(new URL("./remembering-agent.ts", import.meta.url))

/** An agent nobody has described, which goes on with what was chosen in a session; one folder is one memory. */
export class Remembering extends DriverStage {
  constructor(readonly folder = join(scratch(), "memory")) {
    mkdirSync(folder, { recursive: true })
    const command = [process.execPath, "--no-env-file", program, folder]
    const traits = { capabilities: { resume: true, fork: true } }
    const agent = { id: "remembering", name: "Remembering", args: [], env: {}, traits }
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    super(createAcpDriver({ agent, programs, lingerMs: 0 }), (daemonId) =>
      createSupervisor({ daemonId, log: () => {} }),
    )
  }

  open = (body: Partial<CreateSession> = {}, id = "one") => this.create(id, { agent: "remembering", ...body })

  /** A session that was left in what only `bypass` allows. */
  async inYolo() {
    const session = await this.open({ permissionMode: "bypass" })
    await patchSession(session, { agentMode: "yolo" })
    expect(await this.does()).toBe("unasked in yolo")
    return session
  }

  /** Whether it asked for what it did, and in which mode. */
  async does(words = "do", s = this.session): Promise<string> {
    const before = this.of("permission.requested", s).length
    const asked = this.until("permission.requested", () => this.of("permission.requested", s).length > before, s)
    const turn = this.run(words, s)
    if (await Promise.race([asked.then(() => true), turn.then(() => false)])) {
      const { permission_id } = await this.permission(before + 1, s)
      if (s.requests.size > 0) await replyPermission(s, permission_id, "once") // bypass answers by itself
    }
    await turn
    return (this.transcript(s).at(-1) ?? "").replace("assistant: ", "")
  }

  /** By itself, while its process is away. */
  moved({ record }: Session, state: Partial<State>): void {
    const file = join(this.folder, `${record.native.id}.json`)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...state }))
  }

  rules(rules: Rules): void {
    writeFileSync(join(this.folder, "rules.json"), JSON.stringify(rules))
  }
}
