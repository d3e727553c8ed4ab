import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host, Native, NativeRef, OpenOptions } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import { checkKept } from "../shared/kept-file.ts"
import type { Launcher } from "../shared/launcher.ts"
import { nativeIdOf } from "../shared/native-home.ts"
import { skillsFolder } from "../shared/skills-folder.ts"
import { checkSettings } from "./capabilities.ts"
import { Conversation } from "./conversation.ts"
import { poolKey } from "./launch.ts"
import { McpServers } from "./mcp-servers.ts"
import { assertModel, choiceOf } from "./models.ts"
import type { Opened } from "./native.ts"
import { NativeSession } from "./native-session.ts"
import { Refused } from "./refused.ts"
import { forgotten, resumeThread } from "./resume.ts"
import { Rollout } from "./rollout.ts"
import { allowingRules } from "./rules.ts"
import type { Server } from "./server.ts"
import { serverHomeOf } from "./server-home.ts"
import type { Servers } from "./servers.ts"
import { Choices, type ThreadParams, threadParams } from "./settings.ts"
import { commands } from "./slash.ts"
import { ThreadMember } from "./thread-member.ts"

/** Opens a thread for a session on the server it shares, and starts that server if there is none. */
export async function openThread(...given: Parameters<typeof open>): Promise<Native> {
  const [, { from }] = given
  return open(...given).catch((error: unknown) => {
    // Nothing that was asked for, which is looked at before: it does not work.
    throw error instanceof Refused && from.kind === "new"
      ? new SandboxAgentError("unavailable", error.detail, { agent: "codex" })
      : error
  })
}

async function open(
  launcher: Launcher,
  options: OpenOptions,
  sink: Sink,
  host: Host,
  servers: Servers,
): Promise<Native> {
  checkSettings(options.settings)
  const kept = options.from.kind === "new" ? undefined : await checkKept(options.from.ref, host)
  const serverHome = await serverHomeOf(options.from, options.env, host)
  const skills = await skillsFolder(options.settings.skills, options.directory, host)
  const key = poolKey(launcher, serverHome, host, skills)
  const mcp = new McpServers(Object.keys(options.settings.mcp ?? {}))
  const member = new ThreadMember(sink, host, servers, mcp)
  host.awaits?.("the server that it shares with others")
  const lease = await servers.lease({ key, launcher, serverHome, skills }, member, host, options.signal)
  // An answer that comes late is given back by the core; one that never comes is that of a server that is stuck.
  const givenUp = () => void lease.server.endIfDead().catch(() => undefined)
  options.signal.addEventListener("abort", givenUp, { once: true })
  host.awaits?.("its models and its thread")
  try {
    const { settings, directory, from } = options
    const models = await lease.server.models()
    // A thread that goes on has what it has; a session is never lost by a model that is no longer listed.
    if (from.kind === "new" || from.kind === "adopt") {
      assertModel(models, settings.model, serverHome.models)
      if (settings.variant !== undefined) choiceOf(models, settings.model, settings.variant)
    }
    const params = await threadParams(settings, directory, lease.server)
    member.config = JSON.stringify(params.config)
    const opened = await begin(options, lease.server, params, member, servers, mcp)
    const continued = from.kind === "resume" || from.kind === "adopt"
    const ref: NativeRef = { id: opened.thread.id, home: serverHome.home, durable: continued }
    if (continued) ref.kept = kept
    const fresh = from.kind === "new"
    const { path } = opened.thread
    const rollout = fresh || !path ? undefined : await Rollout.at(path, host.reach)
    const conversation = new Conversation(sink, lease.server, ref, opened, rollout, member, mcp, host, directory)
    member.hold(lease, conversation)
    const choices = new Choices(settings, opened, fresh, serverHome.models)
    choices.change({}, models)
    conversation.noteDurable()
    if (ref.durable && !conversation.kept.isNoted) void conversation.kept.look()
    sink.session({ commands })
    const rules = settings.permissionMode === "bypass" ? [] : await allowingRules(serverHome.home, host.reach)
    if (rules.length > 0) sink.status("rules", `commands that these allow run without a question: ${rules.join(", ")}`)
    return new NativeSession(conversation, choices, (now) => member.leave(now))
  } catch (error) {
    await member.leave(true)
    lease.server.forget(member)
    lease.release()
    throw error
  } finally {
    options.signal.removeEventListener("abort", givenUp)
  }
}

/** Lines may come before the answer is read: whoever opens a thread listens first. */
async function begin(
  { from }: OpenOptions,
  server: Server,
  params: ThreadParams,
  member: ThreadMember,
  servers: Servers,
  mcp: McpServers,
): Promise<Opened> {
  const { sink } = member
  const accept = (result: unknown) => server.listen((result as Opened).thread.id, member)
  if (from.kind === "new")
    return server.request("thread/start", { ...params, experimentalRawEvents: true }, { sink, accept })
  const id = nativeIdOf(from.ref)
  if (from.kind === "fork") {
    const at = from.at === undefined ? {} : { lastTurnId: from.at }
    const fork = { threadId: id, ...at, excludeTurns: true, ...params }
    return server.request("thread/fork", fork, { sink, accept }).catch((error: unknown) => {
      throw forgotten(error, id)
    })
  }
  if (await servers.claim(id, server, member.config)) mcp.settled()
  server.listen(id, member)
  return resumeThread(server, servers, id, params, member)
}
