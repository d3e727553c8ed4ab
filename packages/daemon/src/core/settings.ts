import type { EventData } from "@sandbox-agent/schema/event"
import type { Applied, PatchSession } from "@sandbox-agent/schema/session"
import { applySettings, settingsOf } from "./applied-settings.ts"
import { withDeadline } from "./deadline.ts"
import type { Settings } from "./driver.ts"
import { assertMode } from "./modes.ts"
import { ensureOpen } from "./opening.ts"
import { isRefusal } from "./refusals.ts"
import type { Session } from "./session.ts"

const fields = ["agentMode", "permissionMode", "model", "variant"] as const
type Wanted = Partial<Pick<Settings, (typeof fields)[number]>>

/** Changes a session. `session.updated` is logged when the change is in force, not when it was asked. */
export async function patchSession(s: Session, patch: PatchSession): Promise<Applied> {
  const { title, metadata, ...rest } = patch
  const changes = Object.fromEntries(
    fields.filter((f) => rest[f] !== undefined && rest[f] !== s.record[f]).map((f) => [f, rest[f]]),
  )
  const wanted = changes as Wanted
  s.assertWritable(Object.keys(wanted).length === 0)
  s.driver?.check?.({ ...settingsOf(s), variant: wanted.model === undefined ? s.record.variant : undefined, ...wanted })
  if (s.driver !== undefined) await assertMode(s.context, s.driver, wanted.agentMode)
  // First what the agent may refuse: a refused change leaves the session as it was.
  const applied = Object.keys(wanted).length === 0 ? "now" : await configure(s, wanted)
  const logged: EventData<"session.updated"> = {}
  if (title !== undefined && title !== s.record.title) logged.title = s.record.title = title
  if (metadata !== undefined) logged.metadata = s.record.metadata = metadata
  if (Object.keys(logged).length > 0) s.append("session.updated", logged, "daemon")
  await s.committed()
  return applied
}

async function configure(s: Session, wanted: Wanted): Promise<Applied> {
  await s.opening?.catch(() => undefined) // told to whoever opened it
  const { permissionMode: _, ...asked } = wanted
  if (s.native === undefined && Object.keys(asked).length > 0) await start(s, wanted)
  if (s.native === undefined) {
    applySettings(s, wanted)
    return "now"
  }
  if (s.native.configure === undefined) {
    Object.assign(s.deferred.reopen, wanted)
    s.context.advance(s)
    return "reopen"
  }
  const { epoch } = s
  const applied = await withDeadline(
    s.native.configure(wanted),
    s.context.deadlines.configureMs,
    "the agent did not take the change",
  )
  // A process lost meanwhile is opened again with whatever the record says, so the change is in force either way.
  if (applied === "now" || s.epoch !== epoch) applySettings(s, wanted)
  else Object.assign(s.deferred[applied], wanted)
  s.context.advance(s)
  return applied
}

/** Only the agent knows whether it can have this: it is started for that. */
async function start(s: Session, wanted: Wanted): Promise<void> {
  try {
    await ensureOpen(s)
  } catch (error) {
    // It cannot be used now: as at create, it is tried with the next message.
    if (!isRefusal(error)) return
    // What it is set to can no longer be had; with what is wanted it may. A variant belongs to its model.
    s.trial = wanted.model === undefined ? wanted : { variant: undefined, ...wanted }
    await ensureOpen(s).finally(() => {
      s.trial = undefined
    })
  }
}
