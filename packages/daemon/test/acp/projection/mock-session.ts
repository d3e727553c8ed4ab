import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, Question } from "@sandbox-agent/schema/request"
import { permissionAnswer, questionAnswer, type Response } from "../../../src/faces/acp/projection/answers.ts"
import { isRequest, type Request } from "../../../src/faces/acp/projection/envelope.ts"
import { traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"
import type { Api } from "../../harness/api.ts"

const form = traitsOf({ elicitation: { form: {} } })

/** A person before an editor: allows everything, and fills in forms with what comes first. */
function respond({ method, params }: Request): Response {
  if (method === "session/request_permission" && "options" in params) {
    const [first] = params.options as { optionId: string }[]
    return { result: { outcome: { outcome: "selected", optionId: first?.optionId } } }
  }
  const { properties } = (params as { requestedSchema: { properties: Record<string, Property> } }).requestedSchema
  const content = Object.entries(properties).map(([key, property]) => [key, fill(key, property)])
  return { result: { action: "accept", content: Object.fromEntries(content.filter(([, value]) => value !== "")) } }
}

interface Property {
  oneOf?: { const: string }[]
  items?: { anyOf: { const: string }[] }
}

function fill(key: string, { oneOf, items }: Property): string | string[] {
  if (key.endsWith("_other")) return ""
  return items?.anyOf.map((option) => option.const) ?? oneOf?.[0]?.const ?? "in my own words"
}

async function answer(api: Api, id: string, event: Event): Promise<void> {
  const asked = project(event, undefined, form).find(isRequest)
  if (asked === undefined) return
  if (event.type === "permission.requested") {
    const given = permissionAnswer(event.data as Permission, respond(asked))
    await api.ok("POST", `/v1/sessions/${id}/permissions/${asked.id}/reply`, { reply: "reply" in given && given.reply })
  } else {
    const given = questionAnswer(event.data as Question, respond(asked))
    await api.ok("POST", `/v1/sessions/${id}/questions/${asked.id}/reply`, {
      answers: "answers" in given && given.answers,
    })
  }
}

/** Answers what a session asks, by way of ACP and back, until the returned function is called. */
export function attend(api: Api, id: string): () => Promise<void> {
  const over = Promise.withResolvers<void>()
  const run = async () => {
    const events = api.stream(id)
    while (true) {
      const next = await Promise.race([events.next(), over.promise])
      if (next === undefined || next.done) return
      if (next.value.type === "permission.requested" || next.value.type === "question.requested")
        await answer(api, id, next.value)
    }
  }
  const running = run()
  return () => {
    over.resolve()
    return running
  }
}
