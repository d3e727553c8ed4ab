import { isSandboxAgentError, SandboxAgentClient } from "sandbox-agent"
import { Ingest, restoreStored } from "sandbox-agent/store"
import { MemoryStore } from "sandbox-agent/store/memory"
import { tenLines } from "./ten-lines.js"

/** What every runtime does alike: requests, streams, the connection, files, programs, a terminal, a store. */
export async function scenario({ baseUrl, token, directory, proxy }) {
  const first = await tenLines(baseUrl, token)
  const client = new SandboxAgentClient({ baseUrl, token, agent: "mock" })
  const kindOf = (work) =>
    work.then(
      () => "it resolved",
      (error) => isSandboxAgentError(error) && (error.code ?? error.kind),
    )

  const { id } = await client.newSession({ directory, title: "Mine", metadata: { ticket: 42 } })
  const called = await client.prompt(id, "/echo called")
  const [listed] = (await client.listSessions()).sessions.filter((one) => one.id === id)

  const session = client.session(id)
  session.onPermission(({ kind }) => (kind === "command" ? "once" : "reject"))
  const asked = await session.prompt("/permission echo allowed\n/stream 300 10")
  const sequences = []
  for await (const { sequence, type } of session.events()) {
    sequences.push(sequence)
    if (type === "turn.ended" && sequences.length > 300) break
  }
  const off = session.transcript.subscribe(() => {})
  while (session.transcript.getSnapshot().session?.status !== "idle") await new Promise((done) => setTimeout(done, 10))
  const { items } = session.transcript.getSnapshot()
  off()

  await client.fs.write(`${directory}/${id}.txt`, new Blob(["there and ", "back"]).stream())
  const file = await client.fs.readText(`${directory}/${id}.txt`)
  const ran = await client.run("cat; echo over", { input: "typed " })
  const terminal = await client.terminals.open({ shell: "echo on a screen; read line; exit 4" })
  let screen = ""
  terminal.onData((bytes) => {
    screen += new TextDecoder().decode(bytes)
  })
  terminal.write("go on\r")
  const { exitCode } = await terminal.exited

  const behind = new SandboxAgentClient({ ...proxy, token, autoConnect: false })
  const far = await behind.terminals.open({ shell: "exit 5" })
  const proxied = await far.exited.then(
    (exit) => exit.exitCode,
    (error) => [error.name, error.headers],
  )

  const store = new MemoryStore()
  const ingest = new Ingest(store)
  ingest.add("box", client)
  const ref = { sandbox: "box", id }
  const { lastSequence } = await session.info()
  while (((await store.get(ref))?.lastSequence ?? 0) < lastSequence) await new Promise((done) => store.onStored(done))
  await ingest.close()
  const restored = await restoreStored(store, ref, client, { id: `${id}-again` })

  const stop = new AbortController()
  const aborted = kindOf(client.prompt(id, "/sleep 600000", { signal: stop.signal }))
  stop.abort()
  const errors = [
    await kindOf(client.getSession("nobody")),
    // Answered while the body is still on its way.
    await kindOf(client.postMessage(id, { message: "x".repeat(40 * 2 ** 20) })),
    await kindOf(new SandboxAgentClient({ baseUrl, token: "wrong", autoConnect: false }).listAgents()),
    await aborted,
    await kindOf(client.prompt(id, "/sleep 600000", { timeoutMs: 50 })),
  ]
  await client.disconnect()
  errors.push(await kindOf(client.prompt(id, "late")))
  session.close()
  return {
    first,
    called: called.stopReason,
    listed: [listed?.title, listed?.metadata?.ticket],
    asked: asked.stopReason,
    whole: sequences.every((sequence, at) => sequence === at + 1),
    items: items.length > 3,
    file,
    ran: ran.stdout,
    terminal: [exitCode, screen.includes("on a screen")],
    proxied,
    restored: restored.context,
    errors,
  }
}
