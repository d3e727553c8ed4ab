import { spawn } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { askToken } from "./ask-token.ts"
import { callJson } from "./client.ts"
import { notRunning, target } from "./daemon.ts"
import { type DaemonRecord, liveDaemon } from "./daemon-file.ts"
import { isSet } from "./parse.ts"
import { line, note } from "./print.ts"

/** The inspector, signed in. */
export async function daemonOpen(argv: string[]): Promise<number> {
  const { parsed, dataDir } = target(argv, "open")
  const record = liveDaemon(dataDir)
  if (!record) return await notRunning(parsed, dataDir, 1)
  const url = await pageOf(record, dataDir)
  if (isSet(parsed, "json")) {
    await line(JSON.stringify({ url }))
    return 0
  }
  const browser = process.stdout.isTTY ? browserOf(process.env) : undefined
  await line(url)
  if (browser === undefined) return 0
  const started = await startBrowser(browser, pageFile(dataDir, url))
  await note(started ? `opened with ${browser}` : `${browser} did not start: open the address yourself`)
  return 0
}

async function pageOf({ url, tokenNeeded }: DaemonRecord, dataDir: string): Promise<string> {
  if (!tokenNeeded) return `${url}/ui/`
  const connection = { endpoint: url, token: await askToken(dataDir) }
  const { ticket } = await callJson<{ ticket: string }>(connection, { method: "POST", path: "/v1/tickets" })
  return `${url}/ui/#ticket=${ticket}`
}

/** Arguments of a program can be read by every user, so the browser is given a file that leads on. */
function pageFile(dataDir: string, url: string): string {
  const file = join(dataDir, "open.html")
  rmSync(file, { force: true })
  const page = `<!doctype html><meta charset="utf-8"><title>Sandbox Agent</title><meta http-equiv="refresh" content="0; url=${url}">\n`
  writeFileSync(file, page, { mode: 0o600, flag: "wx" })
  return file
}

/** Without a screen a browser of the terminal would take it over. */
function browserOf(env: NodeJS.ProcessEnv): string | undefined {
  if (env.BROWSER) return env.BROWSER
  if (process.platform === "darwin") return "open"
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
  return hasScreen && Bun.which("xdg-open") ? "xdg-open" : undefined
}

function startBrowser(browser: string, file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(browser, [file], { detached: true, stdio: "ignore" })
    child.on("error", () => resolve(false))
    child.on("spawn", () => {
      child.unref()
      resolve(true)
    })
  })
}
