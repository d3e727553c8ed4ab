import type { Model } from "@sandbox-agent/schema/agent"
import type { Session } from "@sandbox-agent/schema/session"
import { callJson } from "../client.ts"
import { didYouMean } from "../closest.ts"
import type { Connection } from "../connection.ts"

/** What a command of ours may do. */
export interface SlashContext {
  readonly connection: Connection
  readonly session: Session
  quit(): void
}

interface SlashCommand {
  readonly usage: string
  readonly help: string
  /** Gives what is told. */
  run(context: SlashContext, words: readonly string[]): Promise<string[]>
}

const permissionModes = ["default", "acceptEdits", "plan", "bypass"]

/** Ours; any other `/…` is the agent's own and goes to it. */
export const slashCommands: Readonly<Record<string, SlashCommand>> = {
  model: {
    usage: "/model [id] [variant]",
    help: "the models, or choose one",
    run: async ({ connection, session }, [model, variant]) => {
      const path = `/v1/agents/${encodeURIComponent(session.agent)}/models`
      const { models, defaultModel } = await callJson<{ models: Model[]; defaultModel?: string }>(connection, {
        method: "GET",
        path,
      })
      if (model === undefined)
        return models.map(({ id, variants }) => {
          const now = id === (session.model ?? defaultModel) ? "●" : " "
          return `${now} ${id}${variants.length > 0 ? `  (${variants.join(", ")})` : ""}`
        })
      return changed(connection, session, { model, ...(variant && { variant }) })
    },
  },
  mode: {
    usage: "/mode [id]",
    help: "the agent modes, or choose one",
    run: async ({ connection, session }, [agentMode]) => {
      if (agentMode !== undefined) return changed(connection, session, { agentMode })
      const path = `/v1/agents/${encodeURIComponent(session.agent)}/modes`
      const { modes } = await callJson<{ modes: { id: string; description?: string }[] }>(connection, {
        method: "GET",
        path,
      })
      return modes.map(
        ({ id, description }) =>
          `${id === session.agentMode ? "●" : " "} ${id}${description ? `  ${description}` : ""}`,
      )
    },
  },
  permissions: {
    usage: "/permissions [mode]",
    help: `what it may do without asking: ${permissionModes.join(", ")}`,
    run: async ({ connection, session }, [permissionMode]) => {
      if (permissionMode === undefined)
        return permissionModes.map((mode) => `${mode === session.permissionMode ? "●" : " "} ${mode}`)
      if (!permissionModes.includes(permissionMode))
        return [`there is no permission mode ${permissionMode}${didYouMean(permissionMode, permissionModes)}`]
      return changed(connection, session, { permissionMode })
    },
  },
  queue: {
    usage: "/queue clear",
    help: "take back what waits",
    run: async ({ connection, session }) => {
      const { queue } = await callJson<Session>(connection, { method: "GET", path: pathOf(session) })
      for (const { messageId } of queue)
        await callJson(connection, {
          method: "DELETE",
          path: `${pathOf(session)}/messages/${encodeURIComponent(messageId)}`,
        })
      return [queue.length === 0 ? "nothing waits" : `${queue.length} taken back`]
    },
  },
  help: {
    usage: "/help",
    help: "this list",
    run: async () => [
      ...Object.values(slashCommands).map(({ usage, help }) => `${usage.padEnd(24)} ${help}`),
      ...keys.map(([name, help]) => `${name.padEnd(24)} ${help}`),
      "any other /… goes to the agent",
    ],
  },
  quit: {
    usage: "/quit",
    help: "leave; the session stays",
    run: async ({ quit }) => {
      quit()
      return []
    },
  },
}

const keys = [
  ["Enter", "send; while the agent works it waits for its turn"],
  ["Alt-Enter, Ctrl-J", "a new line"],
  ["Esc", "stop the turn"],
  ["@path", "send the file along; Tab completes"],
  ["↑ ↓", "what was typed before"],
  ["Ctrl-D", "leave"],
] as const

export const pathOf = ({ id }: Pick<Session, "id">): string => `/v1/sessions/${encodeURIComponent(id)}`

async function changed(connection: Connection, session: Session, body: object): Promise<string[]> {
  const answer = await callJson<{ applied: string }>(connection, { method: "PATCH", path: pathOf(session), body })
  const when = { now: "now", next_turn: "with the next turn", reopen: "when the agent is started again" }[
    answer.applied
  ]
  return [`${Object.values(body).join(" ")}: in force ${when ?? answer.applied}`]
}
