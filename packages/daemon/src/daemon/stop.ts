import { rmdir } from "node:fs/promises"
import type { Server } from "bun"
import { removeFolders, storeFolder } from "../core/attachment-folders.ts"
import type { Logger } from "../core/context.ts"
import type { Core } from "../core/core.ts"
import { endInOrder } from "../core/end-in-order.ts"
import type { AcpFace } from "../faces/acp/face.ts"
import type { SocketEnd } from "../faces/http/socket.ts"
import type { LazyInstaller } from "../install/programs.ts"
import type { Store } from "../store/store.ts"

/** Ends everything in order, and in time. */
export async function stop(
  core: Core,
  acp: AcpFace,
  installer: LazyInstaller,
  supervisor: { stopAll(): Promise<void> },
  server: Server<SocketEnd>,
  store: Store,
  log: Logger,
  withinMs: number,
): Promise<void> {
  // The core before the server: its streams end, so that the server can stop politely.
  const stages = [
    [{ what: "installs", end: () => installer.close() }],
    [
      { what: "sessions", end: () => core.stop() },
      { what: "processes", end: () => supervisor.stopAll() },
    ],
    [{ what: "ACP connections", end: () => acp.stop() }],
    [{ what: "server", end: () => server.stop(true) }],
  ]
  const late = Bun.sleep(withinMs).then(() => log("warn", "shutdown took too long and was cut short"))
  await Promise.race([endInOrder(stages, log), late])
  store.close()
  // In memory the sessions are gone with the daemon, and so are their files.
  const { attachments, directory, skillSources } = core.context
  if (store.kind !== "memory") return
  await removeFolders([attachments, storeFolder(directory, "processes", "memory"), skillSources])
  // Where something is noted, the next daemon removes both.
  await rmdir(storeFolder(directory, "drafts", "memory")).catch(() => undefined)
}
