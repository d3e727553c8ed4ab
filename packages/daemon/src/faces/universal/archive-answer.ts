import { type BytePath, toText } from "../../host/files/byte-path.ts"
import { type ArchiveFormat, compressed, mediaTypes } from "../../host/files/compression.ts"
import type { Fence } from "../../host/files/fence.ts"
import { IgnoreRules } from "../../host/files/ignore-rules.ts"
import { FOLDER, openPath } from "../../host/files/opened.ts"
import { Packer } from "../../host/files/pack.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"
import { sendBytes } from "./send-bytes.ts"

export interface ArchiveQuery {
  format?: ArchiveFormat | undefined
  hidden?: boolean | undefined
  gitignore?: boolean | undefined
}

/** A folder as an archive that is made while it is sent. */
export async function archiveAnswer(
  fence: Fence,
  path: BytePath,
  { format = "tar", hidden = true, gitignore = false }: ArchiveQuery,
  request: Request,
  stalled: StalledReaders,
): Promise<Response> {
  const root = await openPath(fence, path, FOLDER)
  try {
    const rules = gitignore ? await IgnoreRules.around(fence, root, [".gitignore"]) : undefined
    const bytes = compressed(new Packer(fence, { hidden, rules }).pack(root), format)
    const body = sendBytes(bytes, request, stalled, () => root.close())
    const name = `${toText(path).split("/").at(-1) || "root"}.${format}`
    return new Response(body, {
      headers: {
        "content-type": mediaTypes[format],
        "content-disposition": `attachment; filename="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(name)}`,
        "cache-control": "no-store",
      },
    })
  } catch (error) {
    await root.close()
    throw error
  }
}
