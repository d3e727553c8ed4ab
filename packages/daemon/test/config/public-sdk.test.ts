import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { fetched } from "@sandbox-agent/test-agents/fetched"
import { expect, test } from "vitest"
import { startPuppet } from "../hostile/puppet.ts"
import { folder } from "./client.ts"

const sdk = fetched({ name: "sandbox-agent-0.4.2", spec: "sandbox-agent@0.4.2", file: "sandbox-agent/dist/index.js" })

test("the public SDK 0.4.2 has every one of its config calls, and its sessions have what they configured", async () => {
  await using daemon = await startPuppet()
  const directory = folder("project")
  const program = join(import.meta.dirname, "public-sdk-config.mjs")
  const words = [program, pathToFileURL(sdk).href, daemon.url, daemon.token, directory]
  const child = Bun.spawn([process.execPath, ...words], { stdout: "pipe", stderr: "pipe" })
  const [out, error, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect([code, error]).toEqual([0, ""])
  const hidden = "********"
  const gone = { status: 404, type: "urn:sandbox-agent:error:not_found" }
  expect(JSON.parse(out)).toEqual({
    getMcp: {
      type: "local",
      command: process.execPath,
      args: ["--version"],
      cwd: directory,
      enabled: true,
      env: { KEY: hidden },
      timeoutMs: null,
    },
    getRemote: {
      type: "remote",
      url: "http://127.0.0.1:9/mcp",
      headers: { "x-key": hidden },
      envHeaders: null,
      bearerTokenEnvVar: null,
      oauth: null,
      transport: "sse",
      enabled: false,
      timeoutMs: 1000,
    },
    getSkills: { sources: [{ type: "local", source: "skills", ref: null, skills: ["one"], subpath: null }] },
    noSkills: gone,
    servers: [
      {
        name: "files",
        command: "/bin/sh",
        args: ["-c", expect.any(String), directory, process.execPath, "--version"],
        env: [{ name: "KEY", value: "zebra" }],
      },
    ],
    noMcp: gone,
  })
}, 60_000)
