import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import { type Answer, Api } from "../harness/api.ts"
import { type DaemonOptions, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { expectAnswer, expectEvent } from "./contract-check.ts"
import { expectSoundLog } from "./sound-log.ts"

/** The API, with every answer and every event held against the contract. */
export class CheckedApi extends Api {
  /** Routes that gave their good answer. */
  readonly served = new Set<string>()

  override async call<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    const answer = await super.call<T>(method, path, body, headers)
    const id = expectAnswer(method, path, answer)
    if (id !== undefined) this.served.add(id)
    return answer as Answer<T>
  }

  override async turn(id: string, message: string, more: Record<string, unknown> = {}): Promise<Event[]> {
    const events = await super.turn(id, message, more)
    this.served.add("streamMessage")
    return events.map(expectEvent)
  }

  override async *stream(id: string, query = "", headers: Record<string, string> = {}): AsyncGenerator<Event> {
    for await (const event of super.stream(id, query, headers)) {
      this.served.add("streamEvents")
      yield expectEvent(event)
    }
  }

  /** The first permission that is open, waiting for it if need be. */
  async permission(id: string, offset = 0): Promise<Permission> {
    return (await this.until(id, "permission.requested", undefined, offset)).data
  }

  async question(id: string, offset = 0): Promise<Question> {
    return (await this.until(id, "question.requested", undefined, offset)).data
  }

  /** Waits until the agent is in the middle of something it announced with `/sleep`. */
  async asleep(id: string, offset = 0): Promise<void> {
    await this.until(id, "item.completed", ({ data }) => data.item.kind === "status", offset)
  }
}

export interface CheckedDaemon extends TestDaemon {
  readonly api: CheckedApi
  /** Ends the daemon after holding every log it has against the invariants of SPEC §4. */
  finish(): Promise<void>
}

export async function startChecked(options?: DaemonOptions): Promise<CheckedDaemon> {
  const daemon = await startDaemon(options)
  const api = new CheckedApi(daemon.url, daemon.token)
  const finish = async () => {
    try {
      const { sessions } = await api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions?limit=200")
      for (const { id } of sessions) {
        // Items first: a session that is still at work goes on between the two.
        const { items, sequence } = await api.items(id)
        const events = await api.events(id)
        expectSoundLog(
          events.filter((event) => event.sequence <= sequence),
          items,
        )
      }
    } finally {
      await daemon[Symbol.asyncDispose]()
    }
  }
  return Object.assign(daemon, { api, finish })
}
