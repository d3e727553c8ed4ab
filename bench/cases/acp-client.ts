import { join } from "node:path"
import { gzipSync } from "bun"
import type { Case } from "../case.ts"
import { atMost, type Row } from "../row.ts"

const root = join(import.meta.dir, "../..")

async function bundle(entry: string): Promise<{ minified: number; gzip: number }> {
  const { outputs } = await Bun.build({ entrypoints: [entry], target: "browser", minify: true })
  const bytes = await outputs[0]?.arrayBuffer()
  if (bytes === undefined) throw new Error(`${entry} could not be bundled`)
  return { minified: bytes.byteLength / 1024, gzip: gzipSync(new Uint8Array(bytes), { level: 9 }).byteLength / 1024 }
}

/** What a page downloads for `acp-http-client`; the floor is the official client's stream alone, with nothing that speaks over it. */
export const acpClient: Case = {
  name: "acp-client",
  run: async (): Promise<Row[]> => {
    const ours = await bundle(join(root, "packages/acp-http-client/src/acp-http-client.ts"))
    const floor = await bundle(Bun.resolveSync("@agentclientprotocol/sdk/experimental/http-client", import.meta.dir))
    return [
      { name: "acp-http-client, minified for the browser", unit: "KiB", ours: ours.minified, floor: floor.minified },
      {
        name: "    gzip",
        unit: "KiB",
        ours: ours.gzip,
        floor: floor.gzip,
        bar: atMost(ours.gzip, 12, "KiB"),
        note: "floor: the official SDK's HTTP stream, without its client",
      },
    ]
  },
}
