import { expect, test } from "vitest"
import { patchSession } from "../../../src/core/settings.ts"
import { type Asked, AskingStage, no, yes } from "./asking.ts"

const always = { optionId: "forever", name: "Always", kind: "allow_always" }
const never = { optionId: "never", name: "Never", kind: "reject_always" }
const odd = { optionId: "odd", name: "Odd", kind: "allow_maybe" }
const command: Asked = { title: "Shell", kind: "execute", rawInput: { command: "ls" } }

async function asking(): Promise<AskingStage> {
  const stage = new AskingStage()
  await stage.open()
  return stage
}

test.each<[string, object[], string[], string[]]>([
  [
    "once and for good",
    [yes, always, no],
    ["once", "always", "reject"],
    ["accept yes", "accept_for_session yes", "reject no"],
  ],
  ["only for good", [always, no], ["always", "reject"], ["accept_for_session forever", "reject no"]],
  ["no yes", [no], ["reject"], ["reject no"]],
  ["only lasting answers", [always, never], ["always", "reject"], ["accept_for_session forever", "reject never"]],
  ["no no", [yes], ["once", "always", "reject"], ["accept yes", "accept_for_session yes", "reject cancelled"]],
  ["nothing", [], ["reject"], ["reject cancelled"]],
  ["what nobody knows", [odd], ["reject"], ["reject cancelled"]],
])("an agent that offers %s is told what is logged", async (_, options, choices, outcomes) => {
  const seen: string[] = []
  for (const reply of choices) {
    await using stage = await asking()
    const { permission, told, logged } = await stage.ask(command, reply as "once", options)
    expect(permission.choices).toEqual(choices)
    seen.push(logged.replace("by client", told))
  }
  expect(seen).toEqual(outcomes)
})

test("a reply that cannot be given is refused, and the request stays open", async () => {
  await using stage = await asking()
  const turn = stage.play({
    request: "session/request_permission",
    params: { toolCall: { toolCallId: "c", ...command }, options: [always, no] },
  })
  const { permission_id: id, reason } = await stage.permission()
  expect(reason).toContain("may not ask for this again")
  await expect(stage.reply(id, "once")).rejects.toMatchObject({
    code: "invalid_request",
    detail: expect.stringContaining("always, reject"),
  })
  await stage.reply(id, "always")
  await turn
  expect(stage.of("permission.resolved").map(({ data }) => [data.status, data.reason])).toEqual([
    ["accept_for_session", expect.stringContaining("may not ask for this again")],
  ])
})

test("what outlasts a permission mode only bypass allows, and says so", async () => {
  await using stage = await asking()
  const edit: Asked = { title: "Edit", kind: "edit", locations: [{ path: "/tmp/a" }] }
  await stage.ask(edit, "always", [yes, no])
  await patchSession(stage.session, { permissionMode: "acceptEdits" })
  // Neither the mode nor a rule for this once.
  expect((await stage.ask(edit, "reject", [always, no])).logged).toBe("reject by client")
  await patchSession(stage.session, { permissionMode: "bypass" })
  expect(await stage.ask(edit, undefined, [always, no])).toMatchObject({
    told: "forever",
    logged: "accept by mode",
    reason: expect.stringContaining("may not ask for this again"),
  })
  expect(await stage.ask(edit, undefined, [no])).toMatchObject({ told: "no", logged: "reject by mode" })
  expect(await stage.ask(edit, undefined, [])).toMatchObject({ told: "cancelled", logged: "reject by mode" })
})
