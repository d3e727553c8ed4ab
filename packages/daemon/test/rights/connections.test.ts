import { once } from "node:events"
import { existsSync, readFileSync, readlinkSync } from "node:fs"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { Connections } from "../../src/sockets/connections.ts"
import { SocketHolders } from "../../src/sockets/socket-holders.ts"
import { kernelForms, rowsTo } from "../../src/sockets/tcp-rows.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { until } from "../supervisor/processes.ts"
import { inShell, ways } from "./agent-shell.ts"
import { isRoot, unprivileged } from "./users.ts"

const approver = new URL("./approver.ts", import.meta.url).pathname

test("addresses are compared as the kernel writes them", () => {
  expect(kernelForms("127.0.0.1")).toEqual(["0100007F", "0000000000000000FFFF00000100007F"])
  expect(kernelForms("::ffff:10.1.2.3")).toEqual(kernelForms("10.1.2.3"))
  expect(kernelForms("::1")).toEqual(["00000000000000000000000001000000"])
  expect(kernelForms("fe80::1:2%eth0")).toEqual(["000080FE000000000000000002000100"])
  expect(kernelForms("2001:db8:1:2:3:4:5:6")).toEqual(["B80D0120020001000400030006000500"])
  expect(kernelForms("nothing")).toEqual([])
})

test("who is behind a connection is looked for once, and anew for the next connection", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const asked: number[] = []
  const agentProcess = (pid: number) => {
    asked.push(pid)
    return { pid }
  }
  const connections = new Connections({ started: true, agentProcess }, () => port)
  for (const times of [1, 2]) {
    const client = connect(port, "127.0.0.1")
    await once(client, "connect")
    const remote = { address: "127.0.0.1", port: client.localPort ?? 0 }
    for (let i = 0; i < 3; i++) expect(await connections.agentBehind(remote)).toEqual({ pid: process.pid })
    expect(asked).toEqual(Array<number>(times).fill(process.pid))
    client.destroy()
    await once(client, "close")
    // Nobody holds it any more: whoever it was, it was a process of this machine.
    expect(await connections.agentBehind(remote)).toEqual({ pid: undefined })
  }
  server.close()
  const quiet = new Connections({ started: false, agentProcess }, () => port)
  expect(await quiet.agentBehind(undefined)).toBeUndefined()
})

test("a connection that the kernel's table passed over is looked for again", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const client = connect(port, "127.0.0.1")
  await once(client, "connect")
  let looks = 0
  const rows = async (to: number) => (++looks < 3 ? [] : rowsTo(to))
  const connections = new Connections({ started: true, agentProcess: () => undefined }, () => port, undefined, rows)
  expect(await connections.agentBehind({ address: "127.0.0.1", port: client.localPort ?? 0 })).toBeUndefined()
  expect(looks).toBe(3)
  client.destroy()
  server.close()
})

/** A session that waits for leave; the address and the body that would give it. */
async function asking({ api }: TestDaemon, directory?: string) {
  await api.create("spy", { permissionMode: "bypass", ...(directory !== undefined && { directory }) })
  await api.turn("spy", "hello")
  await api.create("waits", directory === undefined ? {} : { directory })
  await api.send("waits", "/permission echo allowed")
  const { data } = await api.until("waits", "permission.requested")
  return {
    permission: data,
    path: `/v1/sessions/waits/permissions/${data.permission_id}/reply`,
    body: '{"reply":"once"}',
  }
}

const words = (args: string[]) => args.map((word) => `'${word}'`).join(" ")

/** A raw request in Perl, which can do to its own process what programs like `sshd` do. */
const perl = ({ url, token }: TestDaemon, path: string, body: string, before: string, after: string) =>
  `use IO::Socket::INET; ${before}
my $s = IO::Socket::INET->new("${new URL(url).host}") or die; my $body = q(${body});
print $s "POST ${path} HTTP/1.1\\r\\nhost: localhost\\r\\nauthorization: Bearer ${token}\\r\\ncontent-type: application/json\\r\\ncontent-length: " . length($body) . "\\r\\nconnection: close\\r\\n\\r\\n$body";
$s->flush; ${after}`
const reads = "print while <$s>;"

test("an agent that is gone before the daemon can look has decided nothing", async () => {
  await using daemon = await startDaemon()
  const { path, body } = await asking(daemon)
  const [halt, goOn] = ["STOP", "CONT"].map((signal) => `kill "${signal}", ${daemon.pid};`)
  const file = join(daemon.dataDir, "gone.pl")
  await Bun.write(
    file,
    perl(
      daemon,
      path,
      body,
      `${halt}`,
      `close $s; my $us = $$; if (!fork) { select(undef, undef, undef, 0.01) while getppid == $us; ${goOn} }`,
    ),
  )
  await inShell(daemon, "spy", `perl ${file}`)
  const { data } = await daemon.api.until("waits", "error")
  expect(data).toMatchObject({ code: "permission_denied", message: expect.stringContaining("tried to answer perm_") })
  expect((await daemon.api.session("waits")).pending.permissions).toBe(1)
})

/** Python can send a descriptor to itself, and hold it nowhere meanwhile; only where all processes are seen is that one missing. */
const canHide =
  Bun.spawnSync(["sh", "-c", "python3 -c 'import socket; socket.send_fds'"]).exitCode === 0 &&
  readlinkSync("/proc/self/ns/pid") === "pid:[4026531836]" &&
  (await new SocketHolders().of("0")).closed.every((pid) => pid === 1)

const inFlight = ({ url, token, pid }: TestDaemon, path: string, body: string, seen: string) => `
import os, socket, time
s = socket.create_connection(("127.0.0.1", ${new URL(url).port}))
os.kill(${pid}, 19)
s.send(b"POST ${path} HTTP/1.1\\r\\nhost: localhost\\r\\nauthorization: Bearer ${token}\\r\\ncontent-type: application/json\\r\\ncontent-length: ${body.length}\\r\\n\\r\\n" + b'${body}')
one, other = socket.socketpair()
socket.send_fds(one, [b"x"], [s.fileno()])
s.close()
os.kill(${pid}, 18)
while not os.path.exists("${seen}"): time.sleep(0.02)
_, fds, _, _ = socket.recv_fds(other, 1, 1)
print(socket.socket(fileno=fds[0]).recv(400).decode())
`

test.runIf(canHide)("a connection that is on its way from a process to itself is not lost sight of", async () => {
  await using daemon = await startDaemon()
  const { path, body } = await asking(daemon)
  const [script, seen] = [join(daemon.dataDir, "in-flight.py"), join(daemon.dataDir, "seen")]
  await Bun.write(script, inFlight(daemon, path, body, seen))
  const said = inShell(daemon, "spy", `python3 ${script}`)
  const { data } = await daemon.api.until("waits", "error")
  expect(data).toMatchObject({ code: "permission_denied", message: expect.stringContaining("hides behind") })
  await Bun.write(seen, "")
  expect(await said).toContain("403 Forbidden")
})

test.runIf(existsSync("/proc/net/tcp6"))("a daemon that listens to IPv6 and IPv4 at once knows both", async () => {
  await using daemon = await startDaemon({ flags: ["--host", "::"] })
  const { path, body } = await asking(daemon)
  const { port } = new URL(daemon.url)
  for (const host of ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"]) {
    const args = [process.execPath, approver, `http://${host}:${port}`, daemon.token, "http", "POST", path, body]
    expect(await inShell(daemon, "spy", words(args)), host).toMatch(/^403 .*of an agent tried to answer/)
  }
  const args = [process.execPath, approver, `http://127.0.0.1:${port}`, daemon.token, "http", "POST", path, body]
  expect(await Bun.spawn(args).stdout.text()).toMatch(/^200 /)
})

test("what a shell started before it became the daemon may decide", async () => {
  const script = join(scratch(), "told")
  const client = `(until [ -s ${script} ]; do sleep 0.02; done; sh ${script} >${script}.said 2>&1) </dev/null >/dev/null 2>&1 &`
  await using daemon = await startDaemon({ behind: `${client} exec` })
  const { path, body } = await asking(daemon)
  await Bun.write(script, words([process.execPath, approver, daemon.url, daemon.token, "http", "POST", path, body]))
  await daemon.api.until("waits", "permission.resolved")
  await until(() => existsSync(`${script}.said`) && /^200 /.test(readFileSync(`${script}.said`, "utf8")), "its answer")
})

test.skipIf(!isRoot)(
  "as process 1 of a container it knows its agents, and a client of another container is none",
  async () => {
    const daemon = await startDaemon({ behind: "exec unshare --pid --fork --mount-proc --kill-child" })
    // Whoever made the namespace does not hear SIGTERM; the daemon goes with it.
    onTestFinished(async () => {
      daemon.kill("SIGKILL")
      await daemon.exited
    })
    const { permission, path, body } = await asking(daemon)
    const args = [process.execPath, approver, daemon.url, daemon.token, "http", "POST", path, body]
    for (const [name, way] of Object.entries(ways))
      expect(await inShell(daemon, "spy", words(args), way), name).toMatch(/^403 .*of an agent tried to answer/)
    await daemon.api.reply("waits", permission, "once")
    expect((await daemon.api.until("waits", "permission.resolved")).data).toMatchObject({
      status: "accept",
      by: "client",
    })
  },
)

/** PR_SET_DUMPABLE, by the number of prctl. */
const hides = `syscall(${process.arch === "arm64" ? 167 : 157}, 4, 0, 0, 0, 0) == 0 or die "$!";`

test.skipIf(!isRoot)(
  "a process whose files are closed to the daemon is an agent's if it descends from one",
  async () => {
    const dataDir = scratch()
    Bun.spawnSync(["chown", "nobody", dataDir])
    await using daemon = await startDaemon({ dataDir, behind: `exec ${unprivileged.join(" ")} env HOME=${dataDir}` })
    const { path, body } = await asking(daemon, dataDir)
    const script = perl(daemon, path, body, hides, reads)
    const file = join(scratch(), "hidden.pl")
    await Bun.write(file, script)
    Bun.spawnSync(["chmod", "-R", "a+rX", join(file, "..")])
    expect(await inShell(daemon, "spy", `perl ${file}`)).toMatch(/403 .*of an agent tried to answer/s)
    // As `sshd` is, which forwards ports for a person.
    expect(Bun.spawnSync([...unprivileged, "perl", file]).stdout.toString()).toContain("200 OK")
  },
)
