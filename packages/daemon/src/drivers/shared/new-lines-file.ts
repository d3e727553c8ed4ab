import { closeSync, openSync, rmSync, write } from "node:fs"
import { promisify } from "node:util"
import type { Host } from "../../core/driver.ts"

/** Written at once; a line may be longer. */
const WRITE_CHARS = 256 * 1024

const writeTo = promisify(write)

/** A new file with the rights of the agent; what cannot be written whole leaves none. */
export async function writeNewLines(
  path: string,
  lines: AsyncIterable<string>,
  host: Pick<Host, "asAgent">,
): Promise<void> {
  const made = host.asAgent(() => openSync(path, "wx", 0o600))
  try {
    let text = ""
    const flush = async () => {
      const bytes = Buffer.from(text)
      text = ""
      for (let done = 0; done < bytes.length; )
        done += (await writeTo(made, bytes, done, bytes.length - done, null)).bytesWritten
    }
    for await (const line of lines) {
      text += `${line}\n`
      if (text.length >= WRITE_CHARS) await flush()
    }
    await flush()
  } catch (error) {
    host.asAgent(() => rmSync(path, { force: true }))
    throw error
  } finally {
    closeSync(made)
  }
}
