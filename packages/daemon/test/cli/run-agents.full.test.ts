import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { piSettings } from "@sandbox-agent/conformance/agents/pi"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { ampBinary } from "@sandbox-agent/test-agents/amp"
import { piBinary } from "@sandbox-agent/test-agents/pi"
import { expect, test } from "vitest"
import { cleanEnvironment, cli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

const timeout = 180_000

const agents = {
  amp: {
    program: ampBinary,
    call: (command: string) => toolCall("Bash", { cmd: command }),
    env: (home: string, url: string) => ({ HOME: home, AMP_URL: url, AMP_API_KEY: "dummy" }),
  },
  pi: {
    program: piBinary,
    call: (command: string) => toolCall("bash", { command }),
    env: piSettings,
  },
}

/** The real agent on PATH, with a model that runs `touch ran` and then says "done". */
async function stage(agent: keyof typeof agents) {
  const { program, call, env } = agents[agent]
  const folder = temporaryFolder()
  const [bin, home, directory] = ["bin", "home", "work"].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ]
  for (const made of [bin, home, directory]) mkdirSync(made)
  symlinkSync(program(), join(bin, agent))
  const model = await startScriptedModel({ script: [reply(call("touch ran")), "done"] })
  return {
    directory,
    data: join(folder.path, "data"),
    env: { ...cleanEnvironment, PATH: `${bin}:${process.env.PATH}`, ...env(home, model.url) },
    words: ["run", agent, "go", "--directory", directory],
    ran: () => existsSync(join(directory, "ran")),
    async [Symbol.asyncDispose]() {
      await model.close()
      folder[Symbol.dispose]()
    },
  }
}

test.each(["amp", "pi"] as const)(
  "run %s asks at the terminal before the command, and prints the answer",
  {
    timeout,
  },
  async (agent) => {
    await using scene = await stage(agent)
    const once: [string, string][] = [["[once/always/reject] ", "once\r"]]
    const { code, screen } = await atTerminal(scene.words, once, scene.data, scene.env)
    expect([code, scene.ran()], screen).toEqual([0, true])
    expect(screen).toContain("touch ran")
    expect(screen).toContain("done")
  },
)

test.each(["amp", "pi"] as const)(
  "run %s without a terminal refuses the command with a note, and goes on",
  {
    timeout,
  },
  async (agent) => {
    await using scene = await stage(agent)
    const env = { ...scene.env, SANDBOX_AGENT_DATA_DIR: scene.data }
    const { code, stdout, stderr } = await cli(scene.words, { env })
    expect([code, scene.ran()], stderr).toEqual([0, false])
    expect(stdout).toContain("done")
    expect(stderr).toContain("no terminal to ask at")
  },
)
