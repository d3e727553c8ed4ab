import { join, resolve } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { Confinement } from "../files/confinement.ts"
import { readRegular } from "../files/regular-file.ts"
import { agentDataDirectory } from "./agent-user.ts"
import { keepBlob, mimeOf } from "./attachments.ts"
import type { ImagePart } from "./driver-sink.ts"
import type { Session } from "./session.ts"

/** Keeps a picture as a blob: an event names it, so that its bytes are not replayed to every reader. */
export function keepImage(s: Session, bytes: Uint8Array, mime: string): ImagePart {
  return { type: "image", blob: keepBlob(s, bytes, mime), mime }
}

/** A picture that only a path leads to, which means nothing to a client outside the sandbox. An address is no path. */
export const isUnread = (part: ContentPart): part is ImagePart & { path: string } =>
  part.type === "image" && part.blob === undefined && part.path !== undefined && !/^[a-z][a-z0-9+.-]*:/i.test(part.path)

/** With the bytes of the pictures it names by path. One that cannot be had stays a path. */
export function withImages(s: Session, content: readonly ContentPart[]): Promise<ContentPart[]> {
  return Promise.all(content.map((part) => (isUnread(part) ? readImage(s, part) : part)))
}

async function readImage(s: Session, part: ImagePart & { path: string }): Promise<ImagePart> {
  const { files, directory, log, agentUser } = s.context
  const path = resolve(s.record.directory, part.path)
  try {
    // Some agents keep theirs in the home they have of us.
    const allowed = await Confinement.of(
      files.roots,
      [directory],
      [join(agentDataDirectory(s.context), "agents", s.record.agent)],
      agentUser,
    )
    const bytes = await readRegular(path, limits.attachmentBytes, allowed)
    return { ...part, ...keepImage(s, bytes, part.mime ?? mimeOf(path)) }
  } catch (error) {
    log("debug", "an image could not be read", { session: s.record.id, path, error: String(error) })
    return part
  }
}
