import { realpath } from "node:fs/promises"
import { dirname } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Host, MemoryGone, type Native, type NativeRef, type OpenOptions } from "../../core/driver.ts"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { list, record, text } from "../shared/json.ts"
import { checkKept } from "../shared/kept-file.ts"
import type { Launcher } from "../shared/launcher.ts"
import { nativeIdOf } from "../shared/native-home.ts"
import { checkSettings } from "./capabilities.ts"
import { commandsOf, stateOf } from "./catalog.ts"
import { forkSession, holdsEntry } from "./fork.ts"
import { findSession, homeFor } from "./home.ts"
import { type Beginning, environment, launchOf } from "./launch.ts"
import { availableModels, hasModel } from "./models.ts"
import type { NativeCommand, State } from "./native.ts"
import { compactCommand, nativeOf } from "./native-session.ts"
import { noModel } from "./outcome.ts"
import { type ConnectionParts, partsOf } from "./parts.ts"
import { type Started, startProcess } from "./process.ts"
import { createReceiver } from "./receive.ts"
import { headerOf } from "./session-file.ts"

/** Starts Pi on a new or an old session and resolves when it answers. */
export async function openConnection(
  launcher: Launcher,
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  checkSettings(options.settings)
  const directory = await realpath(options.directory)
  const variables = host.environment(environment(options.env, launcher.env))
  const { beginning, ref } = await beginningOf(options, homeFor(options.from, variables, host), directory, host)
  const launch = await launchOf(options, beginning, launcher, host)
  let ready = false
  let receive: (raw: string) => LineOutcome = () => {}
  const process = startProcess(
    {
      command: launch.command,
      owner: options.owner,
      directory,
      sink,
      onLine: (raw) =>
        sink.line(raw, () => {
          try {
            return receive(raw)
          } catch (error) {
            parts.requests.unread(raw)
            throw error
          }
        }),
      onPassedOver: (raw, error) =>
        sink.line(raw, () => {
          parts.requests.unread(raw)
          throw error
        }),
      onExit: (exit) => {
        if (!ready) return
        // Killed in its first answer: what it has written is resumed, not forgotten.
        sink.after(
          parts.kept.look().then(() => parts.durable.onDisk()),
          (found) => {
            if (found) ref.durable = true
            sink.gone(exit)
          },
        )
      },
    },
    launch.env,
    host,
  )
  const parts = partsOf(process, directory, ref, sink, host)
  receive = createReceiver(parts)
  // By then its extensions have read what they need.
  host.awaits?.("its answer to get_state")
  const state = await stateOf(process).finally(launch.forget)
  host.awaits?.("its models and commands")
  await opened(process, parts, state, options)
  ready = true
  if (ref.durable && !parts.kept.isNoted) void parts.kept.look()
  parts.requests.ready = true
  return nativeOf(process, parts, host.reach)
}

async function opened(process: Started, parts: ConnectionParts, state: State, options: OpenOptions): Promise<void> {
  const { settings, from } = options
  const { sink, ref, durable, models } = parts
  if (state.sessionFile !== undefined) {
    durable.file = state.sessionFile
    ref.home = dirname(state.sessionFile)
  }
  if (!hasModel(state)) throw noModel()
  models.opened(state)
  // One that goes on has what it has; a session is never lost by a model that is no longer listed.
  const chosen = settings.model !== undefined || settings.variant !== undefined
  if (chosen && (from.kind === "new" || from.kind === "adopt")) {
    const available = await availableModels(process)
    if (available.length === 0) throw noModel()
    models.check(settings, available)
  }
  const { commands } = record(await process.command({ type: "get_commands" }))
  parts.commands = list(commands).map((one) => record(one) as unknown as NativeCommand)
  sink.session({ commands: commandsOf([compactCommand, ...parts.commands]) })
}

interface Found {
  beginning: Beginning
  ref: NativeRef
}

async function beginningOf({ from }: OpenOptions, home: string, directory: string, host: Host): Promise<Found> {
  if (from.kind === "new") {
    const id = crypto.randomUUID()
    return { beginning: { start: id }, ref: { id, home, durable: false } }
  }
  const id = nativeIdOf(from.ref)
  const file = await findSession(home, id)
  if (file === undefined) throw new MemoryGone(`Pi has no session ${JSON.stringify(id)}`)
  const kept = await checkKept(from.ref, host, (before) => holdsEntry(before, host))
  await assertOf(file, id, directory, host)
  if (from.kind !== "fork") return { beginning: { file }, ref: { id, home, durable: true, kept } }
  const as = crypto.randomUUID()
  return { beginning: { file: await forkSession(file, from.at, as, host) }, ref: { id: as, home, durable: true } }
}

/** Pi works in the directory that a session was begun in, wherever it is started. */
async function assertOf(file: string, id: string, directory: string, host: Host): Promise<void> {
  const { cwd } = await headerOf(file, host)
  const place = text(cwd) ?? directory
  if ((await realpath(place).catch(() => place)) === directory) return
  throw new SandboxAgentError("invalid_request", `session ${id} of Pi belongs to the directory ${place}`, {
    hint: "Create the session with that directory.",
  })
}
