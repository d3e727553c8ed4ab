import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Command } from "./command.ts"

/** 16 by 16 pixels, a colour gradient. */
const png = [
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlklEQVR42hXR4RiFMQiG4Q9hCEMIYQghhDCEEIbwIIQQQgghDOHs",
  "9Lu7662+72N8zA/5WB/6YR/7wz/OBx/xkR/10R/34/sGYzAHMlgDHdhgD3xwBgxikIMa9OCOByZjMicyWROd2GRPfHImTGKSk5r0",
  "5M4HhCFMQYQlqGDCFlw4AkIIKZTQwpUHFmMxF7JYC13YYi98cRYsYpGLWvTirgeUoUxFlKWoYspWXDkKSiiplNLK1QeMYUxDjGWo",
  "YcY23DgGRhhplNHGtQc2YzM3slkb3dhmb3xzNmxik5va9ObuB5zhTEec5ahjznbcOQ5OOOmU0871Bw7jMA9yWAc92GEf/HAOHOKQ",
  "hzr04Z4H/s95534HfCd5S77YL8gb/Zr/FZBQ0HDf679gBDOQYAUaWLADD0782yPIoIIObjyQjGQmkqxEE0t24snJ//BIMqmkk5sP",
  "FKOYhRSr0MKKXXhx6h8liiyq6OLWA81oZiPNarSxZjfenP4Hjyabarq5/cBlXOZFLuuiF7vsi1/O/a8Zl7zUpS/38gNq4ZAQAX6p",
  "cwAAAABJRU5ErkJggg==",
].join("")

export const image: Command = {
  hint: "",
  description: "Shows a small picture",
  run(_, turn) {
    const folder = join(turn.agent.home, "images")
    mkdirSync(folder, { recursive: true })
    const path = join(folder, `${turn.agent.ids.next()}.png`)
    writeFileSync(path, Buffer.from(png, "base64"))
    turn.blocks.whole({ kind: "image", path, mime: "image/png" })
  },
}
