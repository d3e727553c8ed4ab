import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { itemsOf, stopOf, textOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import type { Scenario } from "../scenario.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

export const attachments: readonly Scenario[] = [
  {
    name: "an image reaches the agent and stands in the transcript",
    proves: ["attachment.image"],
    async run(scene) {
      const { id } = await scene.session()
      const image = { data: png.toString("base64"), mime: "image/png", filename: "dot.png" }
      const events = await scene.api.turn(id, await scene.prompt("look"), { attachments: [image] })
      const part = itemsOf(events)[0]?.content.find((found) => found.type === "image")
      holds((await scene.api.blob(id, part?.blob)).equals(png), "the blob is not the image")
      has(textOf(itemsOf(events)), "image/png", "what the agent saw")
      same(stopOf(events), "end_turn")
    },
  },
  {
    name: "an attached file reaches the agent and stands in the transcript",
    proves: ["attachment.file"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const path = join(directory, "notes.txt")
      const notes = `notes of ${id}`
      writeFileSync(path, notes)
      const attached = { attachments: [{ path: "notes.txt" }] }
      const events = await scene.api.turn(id, await scene.prompt("sees", [notes, path]), attached)
      // An agent reads it for its model, or tells it where the file is.
      const seen = textOf(itemsOf(events))
      holds(seen.includes(notes) || seen.includes(path), `the agent was given neither the file nor its path: ${seen}`)
      const [user] = itemsOf(events)
      if (scene.face === undefined) {
        const file = user?.content.find((found) => found.type === "file_ref")
        const blob = createHash("sha256").update(notes).digest("hex")
        same(file, { type: "file_ref", path, action: "read", blob, mime: "text/plain" })
      } else {
        scene.faceRun.met.add("link")
        has(JSON.stringify(user?.content), `[@notes.txt](${pathToFileURL(path).href})`, "the message")
      }
      same(stopOf(events), "end_turn")
    },
  },
]
