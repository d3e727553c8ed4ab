import { errorCodeOfType, SandboxAgentError } from "@sandbox-agent/schema/error"
import { healthWaitMs } from "./health.ts"
import { type TokenAnswer, tokenSocket } from "./token-socket.ts"

/** The token of the daemon that runs on a data directory, from the daemon itself; undefined when it needs none. */
export async function askToken(dataDir: string): Promise<string | undefined> {
  const answer = await readAnswer(tokenSocket(dataDir))
  if ("problem" in answer) {
    const { type, detail, title, hint } = answer.problem
    throw new SandboxAgentError(errorCodeOfType(type) ?? "internal", detail ?? title, { hint })
  }
  return answer.token
}

async function readAnswer(path: string): Promise<TokenAnswer> {
  const heard = Promise.withResolvers<string>()
  const failed = (why: unknown) =>
    heard.reject(
      new SandboxAgentError("unavailable", `the daemon does not tell its token: ${path} ${String(why)}`, {
        hint: "give --token, or stop and start the daemon",
      }),
    )
  const late = setTimeout(() => failed("does not answer"), healthWaitMs)
  const decoder = new TextDecoder()
  let text = ""
  try {
    const socket = await Bun.connect({
      unix: path,
      socket: {
        open: (socket) => {
          socket.write("token\n")
        },
        data: (_, bytes) => {
          text += decoder.decode(bytes, { stream: true })
          if (text.endsWith("\n")) heard.resolve(text)
        },
        close: () => failed("was closed"),
        error: (_, error) => failed(error),
      },
    }).catch((error: unknown) => failed(error))
    const answer = await heard.promise
    socket?.end()
    return JSON.parse(answer) as TokenAnswer
  } finally {
    clearTimeout(late)
  }
}
