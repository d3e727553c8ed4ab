import type { SandboxAgentError } from "@sandbox-agent/schema/error"
import {
  type Host,
  MemoryGone,
  type Native,
  type NativeRef,
  type OpenOptions,
  type OutMessage,
  type Settings,
} from "../../core/driver.ts"
import type { Exit, Sink } from "../../core/driver-sink.ts"
import { exitContext, exited, stderrOf } from "../shared/exited.ts"
import { counter, ReplyTable } from "../shared/reply-table.ts"
import { checkSettings } from "./catalog.ts"
import { homeOf, launchFlags } from "./launch.ts"
import type { AgentSettings, Reply, ToAgent, UserMessage } from "./protocol.ts"
import { createReceiver } from "./receive.ts"

/** Starts the agent program and resolves when it is ready. */
export function openConnection(launcher: string[], options: OpenOptions, sink: Sink, host: Host): Promise<Native> {
  const home = homeOf(options.from, host)
  const ref: NativeRef = { home, durable: false }
  const replies = new ReplyTable<number, Reply>(counter(1))
  const opened = Promise.withResolvers<Native>()
  let ready = false
  let { model } = options.settings

  const receive = createReceiver(sink, {
    ready(line) {
      ready = true
      ref.id = line.session
      ref.durable = line.durable
      opened.resolve(native)
    },
    reply: (line) => void replies.settle(line.request, { result: line }),
    durable() {
      ref.durable = true
    },
  })
  host.awaits?.("its first line")
  const child = host.supervisor.spawn({
    owner: options.owner,
    label: "mock",
    command: [...launcher, ...launchFlags(options, home)],
    directory: options.directory,
    env: options.env,
    endsWithOutput: true,
    onLine: (raw) => sink.line(raw, () => receive(raw)),
    onOversize: (head, bytes) =>
      sink.line(head, () => {
        throw new Error(`A line of ${bytes} bytes was passed over`)
      }),
    onExit(exit) {
      const error = mockExited(exit)
      replies.close(error)
      if (ready) sink.gone(exit)
      else opened.reject(error)
    },
  })

  const write = (line: ToAgent): Promise<void> => {
    const raw = JSON.stringify(line)
    sink.sent(raw)
    return child.write(raw)
  }
  const request = (make: (request: number) => ToAgent): Promise<Reply> =>
    replies.ask((id) => write(make(id)), undefined).reply

  const native: Native = {
    ref,
    async send(message) {
      if (message.brief !== undefined) sink.briefed(message.id)
      await write({ type: "prompt", message: toNative(message) })
    },
    async steer(message) {
      const { accepted } = await request((request) => ({ type: "steer", request, message: toNative(message) }))
      return accepted === true
    },
    async interrupt() {
      await request((request) => ({ type: "interrupt", request }))
    },
    answer: (id, answer) => write({ type: "answer", id, answer }),
    async configure(patch) {
      checkSettings(patch, model)
      const reply = await request((request) => ({ type: "configure", request, settings: toSettings(patch) }))
      model = reply.settings?.model
      return "now"
    },
    async stopBackground() {
      await request((request) => ({ type: "stop_background", request }))
    },
    async close() {
      await child.stop()
    },
    async kill() {
      await child.kill()
    },
  }
  return opened.promise
}

function toNative({ id, text, attachments, brief }: OutMessage): UserMessage {
  const converted = attachments.map(({ path, bytes, mime, filename }) => ({
    ...(filename !== undefined && { name: filename }),
    ...(mime !== undefined && { mime }),
    ...(path !== undefined && { path }),
    ...(bytes !== undefined && { data: Buffer.from(bytes).toString("base64") }),
  }))
  return { id, text, ...(brief !== undefined && { brief }), attachments: converted }
}

const toSettings = ({ agentMode, permissionMode, model, variant }: Partial<Settings>): Partial<AgentSettings> => ({
  agentMode,
  permissionMode,
  model,
  variant,
})

function mockExited(exit: Exit): SandboxAgentError {
  const unknown = /mock-agent: (No session .*)/.exec(stderrOf(exit))?.[1]
  if (unknown !== undefined) return new MemoryGone(`Mock: ${unknown}`, exitContext(exit))
  return exited("mock", exit)
}
