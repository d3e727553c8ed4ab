import { realpath } from "node:fs/promises"
import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { type Host, MemoryGone, type Native, type NativeRef, type OpenOptions } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import { text } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { nativeIdOf } from "../shared/native-home.ts"
import { readableLines } from "../shared/readable-lines.ts"
import { checkSettings, nativeMode } from "./capabilities.ts"
import { Conversation } from "./conversation.ts"
import { makeDelegateFiles } from "./delegate-files.ts"
import { Gate } from "./gate.ts"
import { environment, launchOf } from "./launch.ts"
import { userMessage } from "./message.ts"
import { PendingRequests } from "./pending-requests.ts"
import { exportThread } from "./threads.ts"
import { Transcript } from "./transcript.ts"
import { assertAsks } from "./workspace.ts"

type Find = () => Promise<Launcher>

/** Starts Amp on a new or an old thread. It takes a message whether it is ready or not. */
export async function openConnection(
  find: Find,
  self: readonly string[],
  asked: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  checkSettings(asked.settings)
  const options = await inModeOfThread(find, asked, sink, host)
  const { settings, sessionId, owner } = options
  const ref = refOf(options, host)
  const directory = await realpath(options.directory)
  const env = environment(options.env, (await find()).env)
  const delegate = makeDelegateFiles(sessionId, self, host)
  const requests = new PendingRequests(sink, directory, host.reach, () => gate)
  const gate = new Gate(
    delegate.socket,
    { asked: (key, line) => requests.asked(key, line), left: (key) => requests.left(key) },
    host,
  )
  let left = false
  const leave = () => {
    left = true
    gate.close()
    delegate.remove()
  }
  const transcript = new Transcript(sink, directory, requests.diffOf)
  requests.calls = transcript
  requests.free = settings.permissionMode === "bypass"
  let forget = () => {}
  let stopping = false
  let startedFree = false
  let told = ""
  const conversation = new Conversation({
    ...{ sink, ref, transcript, requests },
    silenceMs: host.intervals?.silenceMs ?? ampLimits.silenceMs,
    dismiss: () => gate.dismiss(),
    started: () => forget(),
    gone: leave,
  })

  const start = async (): Promise<void> => {
    const trusted = requests.free ? undefined : await assertAsks(directory, host.reach)
    const program = await find()
    const launch = await launchOf({ ...options, directory }, ref.id, delegate.program, env, trusted, host)
    // Meanwhile its session has left it: nobody would end it.
    if (left || stopping) return launch.forget()
    forget = launch.forget
    startedFree = requests.free
    const leftOut = launch.leftOut.join("; ")
    // Each start looks; what is the same is told once.
    if (leftOut !== "" && leftOut !== told)
      sink.status("project_skills", `outside of permission mode bypass these are left out: ${leftOut}`)
    told = leftOut
    const child = host.supervisor.spawn({
      owner,
      label: "amp",
      command: [...program.command, ...launch.flags],
      directory: options.directory,
      env,
      endsWithOutput: true,
      ...readableLines(
        (raw) => conversation.line(raw),
        (raw, error) => conversation.passedOver(raw, error),
      ),
      onExit: (exit) => conversation.exited(exit, stopping),
    })
    conversation.attach(child)
  }

  try {
    await start()
  } catch (error) {
    leave()
    throw error
  }
  let interrupts = 0
  return {
    ref,
    async send(message) {
      const before = interrupts
      const line = JSON.stringify(await userMessage(message, host.reach))
      if (conversation.child === undefined && !left) await start()
      // It died meanwhile, and that was told.
      if (left || stopping) return
      if (interrupts === before) return conversation.send(message, line)
      // It came while the files were read.
      sink.returned(message.id)
      sink.turnEnded({ stop: "cancelled" })
    },
    async interrupt() {
      interrupts += 1
      await conversation.interrupt()
    },
    answer: (key, answer) => requests.answer(key, answer),
    async configure(patch) {
      const { permissionMode, ...others } = patch
      const asks = permissionMode !== undefined && permissionMode !== "bypass"
      // It was started where nobody had to be asked.
      if (requests.free && asks) await assertAsks(directory, host.reach)
      if (asks) requests.free = false
      if (Object.keys(others).length > 0) return "reopen"
      if (permissionMode === "bypass") requests.free = true
      // It has the MCP servers of the repository, or starts them when a file there changes.
      return startedFree && !requests.free ? "reopen" : "now"
    },
    async close() {
      stopping = true
      await conversation.child?.stop()
      leave()
    },
    async kill() {
      stopping = true
      await conversation.child?.kill()
      leave()
    },
  }
}

/** One that is adopted has a mode already, and the session has that from here on. */
async function inModeOfThread(find: Find, options: OpenOptions, sink: Sink, host: Host): Promise<OpenOptions> {
  if (options.from.kind !== "adopt") return options
  const { settings, owner, directory } = options
  const program = await find()
  const env = environment(options.env, program.env)
  host.awaits?.("what it exports of its thread")
  const thread = await exportThread(program, nativeIdOf(options.from.ref), { owner, directory, env }, host)
  const mode = text(thread.agentMode)
  if (mode === undefined || nativeMode(mode) !== mode || mode === nativeMode(settings.agentMode)) return options
  sink.session({ agentMode: mode })
  return { ...options, settings: { ...settings, agentMode: mode, variant: undefined } }
}

/** A thread keeps the mode it was begun in: in another one it is begun anew, and told of what was. */
function refOf({ from, settings }: OpenOptions, host: Host): NativeRef {
  const mode = nativeMode(settings.agentMode)
  const made = { home: host.home, chosen: { mode } }
  if (from.kind === "new") return { ...made, durable: false }
  const before = from.ref.chosen?.mode
  if (before !== undefined && before !== mode)
    throw new MemoryGone(`a thread of Amp keeps its mode, and this one was begun in mode ${before}`)
  return { ...made, id: nativeIdOf(from.ref), durable: true }
}
