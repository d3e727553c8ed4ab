import { rmSync } from "node:fs"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { jsonHead } from "@sandbox-agent/schema/json-head"
import type { Host, Native, NativeRef, OpenOptions } from "../../core/driver.ts"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { checkKept } from "../shared/kept-file.ts"
import type { Launcher } from "../shared/launcher.ts"
import { nativeIdOf, sessionFolder } from "../shared/native-home.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { commandsOf } from "./catalog.ts"
import { copySession } from "./fork.ts"
import { homeOf } from "./home.ts"
import { ignoreLine, refuseUnread } from "./ignored-lines.ts"
import { type Conversation, environment, launchFlags } from "./launch.ts"
import type { Initialized } from "./native.ts"
import { nativeOf } from "./native-session.ts"
import { partsOf } from "./parts.ts"
import { type Started, startProcess } from "./process.ts"
import { allowedRules, projectOf, refusesDistrust } from "./project.ts"
import { createReceiver } from "./receive.ts"
import { checkModel, checkSettings } from "./settings.ts"
import { onDisk } from "./system.ts"
import { holdsEntry } from "./transcript.ts"

/** `version`: where the program says which one it is. */
export interface ClaudeLauncher extends Launcher {
  version?: string
}

/** Starts Claude Code on a new or an old conversation and resolves when it answers. */
export async function openConnection(
  { version, ...launcher }: ClaudeLauncher,
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  try {
    return await openVersion(launcher, version, options, sink, host)
  } catch (error) {
    if (!refusesDistrust(error)) throw error
    // A version that has lost the switch is like one that never had it.
    return await openVersion(launcher, undefined, options, sink, host)
  }
}

async function openVersion(
  launcher: Launcher,
  version: string | undefined,
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  const { settings, directory, from } = options
  checkSettings(settings)
  const bypass = settings.permissionMode === "bypass"
  const project = await projectOf(directory, { bypass, version, reach: host.reach })
  const home = homeOf(from, options.env, host)
  const { conversation, ref } = await conversationOf(options, home, host)
  const flags = await launchFlags(options, conversation, project, host)
  const env = environment(options.env, launcher.env, {
    home,
    mcpWithinMs: settings.mcp && openMsOf(host),
  })
  let ready = false
  let receive: (raw: string) => LineOutcome = () => {}
  const process = startProcess(
    {
      command: [...launcher.command, ...flags],
      owner: options.owner,
      directory,
      sink,
      onLine: (raw) =>
        sink.line(raw, () => {
          try {
            return receive(raw)
          } catch (error) {
            const id = refuseUnread(jsonHead(raw), error, (line) => process.write(line))
            if (id !== undefined) parts.asks.cancelled(id)
            throw error
          }
        }),
      onPassedOver: (raw, error) => ignoreLine(raw, error, sink, receive, (line) => process.write(line)),
      onExit: (exit) => {
        if (!ready) return
        // Killed in its first answer: what it has written is resumed, not forgotten.
        sink.after(
          parts.transcript.look().then(() => onDisk(ref)),
          (found) => {
            if (found) ref.durable = true
            sink.gone(exit)
          },
        )
      },
    },
    env,
    host,
  )
  const parts = partsOf(process, options, ref, sink, host)
  receive = createReceiver(parts)
  const { systemPrompt } = settings
  host.awaits?.("its answer to initialize")
  const initialized = await initialize(process, systemPrompt).finally(() => {
    // It has read it by now, and there are secrets in it.
    host.asAgent(() => rmSync(join(sessionFolder(options.sessionId, host), "mcp.json"), { force: true }))
  })
  // One that goes on has what it has; a session is never lost by a model that is no longer listed.
  if (from.kind === "new" || from.kind === "adopt")
    checkModel(settings, initialized.models ?? [], host.environment(env))
  host.awaits?.("its settings")
  const isTold = await askWhatIsAllowed(process)
  ready = true
  if (ref.durable && !parts.transcript.isNoted) void parts.transcript.look()
  parts.models.list = initialized.models ?? []
  sink.session({ commands: commandsOf(initialized.commands) })
  if (project.leftOut !== undefined) sink.status("project_settings", project.leftOut)
  if (!isTold) sink.status("rules", "this version does not say what its settings allow: that runs without a question")
  return nativeOf(process, parts, { settings, free: project.free, env: host.environment(env) })
}

/** What is allowed in files is still asked: allowing is the permission mode's part. A rule that asks comes before one that allows. */
async function askWhatIsAllowed({ request }: Started): Promise<boolean> {
  const settings = await request({ subtype: "get_settings" }).catch((error: unknown) => {
    // A version that does not know the request opens all the same; one that died does not.
    if (SandboxAgentError.is(error) && error.code === "agent_process_exited") throw error
    return undefined
  })
  if (settings === undefined) return false
  const ask = allowedRules(settings)
  if (ask.length > 0) await request({ subtype: "apply_flag_settings", settings: { permissions: { ask } } })
  return true
}

async function initialize({ request }: Started, appendSystemPrompt: string | undefined): Promise<Initialized> {
  const prompt = appendSystemPrompt ? { appendSystemPrompt } : {}
  // Without the second, what a sub-agent says stays between it and the main one.
  const asked = request({ subtype: "initialize", ...prompt, forwardSubagentText: true })
  const answer = await asked.catch((error: unknown) => {
    // Nothing that was asked for: it does not work.
    throw SandboxAgentError.is(error) && error.code === "invalid_request"
      ? new SandboxAgentError("unavailable", error.detail)
      : error
  })
  return (answer ?? {}) as Initialized
}

interface Found {
  conversation: Conversation
  ref: NativeRef
}

async function conversationOf({ from }: OpenOptions, home: string, host: Host): Promise<Found> {
  if (from.kind === "new") {
    const id = crypto.randomUUID()
    return { conversation: { start: id }, ref: { id, home, durable: false } }
  }
  const id = nativeIdOf(from.ref)
  const kept = await checkKept(from.ref, host, (before) => holdsEntry(before, host))
  if (from.kind !== "fork") return { conversation: { resume: id }, ref: { id, home, durable: true, kept } }
  const as = crypto.randomUUID()
  if (await copySession(home, id, as, host))
    return { conversation: { resume: as }, ref: { id: as, home, durable: true } }
  return { conversation: { fork: id, as }, ref: { id: as, home, durable: false } }
}
