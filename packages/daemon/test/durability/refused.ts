import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"

export interface Refusal {
  code: number
  stdout: string
  stderr: string
}

/** Starts a daemon that should not come up, and gives its last words. `prefix` runs it in another way, as another user. */
export async function refused(dataDir: string, prefix: string[] = []): Promise<Refusal> {
  const child = Bun.spawn([...prefix, ...daemonProgram(), "server", "--port", "0", "--data-dir", dataDir], {
    env: { ...process.env, SANDBOX_AGENT_TOKEN: "test-token-0123456789" },
    cwd: "/",
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const out = new Response(child.stdout).text()
  const err = new Response(child.stderr).text()
  // One that comes up after all is stopped, so that the test fails and does not wait.
  const late = setTimeout(() => child.kill("SIGKILL"), 20_000)
  const code = await child.exited
  clearTimeout(late)
  return { code, stdout: await out, stderr: await err }
}
