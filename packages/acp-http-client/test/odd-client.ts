import { type AcpError, AcpHttpClient, type AcpHttpClientOptions } from "../src/acp-http-client.ts"
import { type Odd, startOddServer } from "./servers/odd-server.ts"

export const quick = { reconnectMinMs: 2, reconnectMaxMs: 20, reconnectAttempts: 3, answerAttempts: 3 }

/** Pushed to by whoever starts something; a test file empties it after each test. */
export const ending: (() => unknown)[] = []

export async function endAll(): Promise<void> {
  for (const end of ending.splice(0).reverse()) await end()
}

/** A client and a server that is odd in one way. */
export async function against(odd: Odd, options: Partial<AcpHttpClientOptions> = {}) {
  const server = await startOddServer(odd)
  const problems: AcpError[] = []
  const client = new AcpHttpClient({
    url: server.url,
    limits: quick,
    onError: (error) => problems.push(error),
    ...options,
  })
  ending.push(server.stop, () => client.close().catch(() => undefined))
  return { client, server, problems }
}

export const isPost = (request: { method?: string }, body: string, method: string) =>
  request.method === "POST" && JSON.parse(body).method === method
