import type { EventData } from "@sandbox-agent/schema/event"
import type { Applied, PatchSession } from "@sandbox-agent/schema/session"
import { applySettings, keepDeferred, settingsOf } from "./applied-settings.ts"
import { withDeadline } from "./deadline.ts"
import type { Settings } from "./driver.ts"
import { assertMode } from "./modes.ts"
import { oneByOne } from "./one-by-one.ts"
import { ensureOpen } from "./opening.ts"
import { isRefusal } from "./refusals.ts"
import type { Session } from "./session.ts"

const fields = ["agentMode", "permissionMode", "model", "variant"] as const
type Wanted = Partial<Pick<Settings, (typeof fields)[number]>>

/** Changes a session. `session.updated` is logged when the change is in force, not when it was asked. */
export function patchSession(s: Session, patch: PatchSession): Promise<Applied> {
  const given = fields.some((f) => patch[f] !== undefined)
  return given ? oneByOne(s, () => change(s, patch)) : change(s, patch)
}

async function change(s: Session, patch: PatchSession): Promise<Applied> {
  const { title, metadata, ...rest } = patch
  const later = { ...s.deferred.next_turn, ...s.deferred.reopen }
  const set = { ...s.record, ...(later.model !== undefined && { variant: undefined }), ...later }
  const isNew = (f: (typeof fields)[number]) => rest[f] !== undefined && rest[f] !== set[f]
  // A variant that comes with another model is one of that model, also where it has the same name.
  const changes = fields.filter((f) => isNew(f) || (f === "variant" && isNew("model") && rest.variant !== undefined))
  const wanted = Object.fromEntries(changes.map((f) => [f, rest[f]])) as Wanted
  s.assertWritable(changes.length === 0)
  const { model = set.model, variant = wanted.model === undefined ? set.variant : undefined } = wanted
  s.driver?.check?.({ ...settingsOf(s), ...wanted, model, variant })
  if (s.driver !== undefined) await assertMode(s.context, s.driver, wanted.agentMode)
  // First what the agent may refuse: a refused change leaves the session as it was.
  const applied = changes.length === 0 ? due(s, rest) : await configure(s, wanted)
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
    supersede(s, wanted)
    applySettings(s, wanted)
    return "now"
  }
  if (s.native.configure === undefined) {
    defer(s, "reopen", wanted)
    s.context.advance(s)
    return "reopen"
  }
  const { epoch } = s
  const applied = await withDeadline(
    s.native.configure(wanted),
    s.context.deadlines.configureMs,
    "the agent did not take the change",
  )
  // What only `bypass` allowed has ended with it: it is not chosen again after the daemon was killed.
  const { chosen } = s.native?.ref ?? {}
  if (chosen !== undefined && s.epoch === epoch) s.record.native = { ...s.record.native, chosen }
  // A process lost meanwhile is opened again with whatever the record says, so the change is in force either way.
  if (applied === "now" || s.epoch !== epoch) {
    supersede(s, wanted)
    applySettings(s, wanted)
  } else defer(s, applied, wanted)
  s.context.advance(s)
  return applied
}

/** Where a change stands that was asked for before. */
const due = ({ deferred }: Session, asked: Wanted): Applied =>
  (["reopen", "next_turn"] as const).find((when) =>
    fields.some((f) => asked[f] !== undefined && deferred[when][f] !== undefined),
  ) ?? "now"

function defer(s: Session, when: "next_turn" | "reopen", wanted: Wanted): void {
  supersede(s, wanted)
  Object.assign(s.deferred[when], wanted)
  keepDeferred(s)
  // A new process may be long in coming. What the agent asks until then is not allowed any more.
  const { permissionMode } = wanted
  if (when === "reopen" && permissionMode !== undefined && s.record.permissionMode === "bypass")
    applySettings(s, { permissionMode })
}

/** What was asked for earlier and has not come into force yet gives way to what is asked for now. */
function supersede(s: Session, wanted: Wanted): void {
  for (const waiting of Object.values(s.deferred)) {
    for (const f of fields) if (wanted[f] !== undefined) delete waiting[f]
    if (wanted.model !== undefined) delete waiting.variant
  }
  keepDeferred(s)
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
