import { spawn } from "node:child_process"
import type { McpProgram } from "./api.ts"
import type { Connect, Message } from "./mcp-client.ts"

/** A server that is a program: one message on each line. */
const overStdio =
  ({ command, args = [], env, cwd }: McpProgram, messageChars: number): Connect =>
  async (receive, lost) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      cwd,
      stdio: ["pipe", "pipe", "ignore"],
    })
    child.on("error", (error) => lost(error.message))
    child.on("exit", (code, signal) => lost(`it ended with ${signal ?? `code ${code}`}`))
    // A pipe that breaks is told by the end of its program.
    child.stdin.on("error", () => undefined)
    let rest = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      if (rest.length > messageChars) {
        lost(`it said more than ${messageChars} characters on one line`)
        child.kill()
      }
      for (const line of lines) {
        const message = parsed(line)
        if (message !== undefined) receive(message)
      }
    })
    return {
      send: (message) =>
        new Promise((resolve, reject) => {
          child.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
        }),
      close: () => void child.kill(),
    }
  }

/** Some servers print other things, too. */
function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message
  } catch {
    return undefined
  }
}

export default overStdio
