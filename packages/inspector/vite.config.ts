import { fileURLToPath } from "node:url"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const packages = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const sdk = (path: string): string => packages(`sandbox-agent/src/${path}`)

/** The page alone: `npm run dev` against any daemon, with the client from its source. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // The page may stand anywhere: below /ui/, or on a static host.
  base: "./",
  plugins: [react()],
  resolve: {
    alias: [
      { find: /^sandbox-agent$/, replacement: sdk("sandbox-agent.ts") },
      { find: /^acp-http-client$/, replacement: packages("acp-http-client/src/acp-http-client.ts") },
      // As the published package has it where there are no processes and no files.
      { find: "#embedded", replacement: sdk("embedded/unavailable.ts") },
      { find: "#local-files", replacement: sdk("local/unavailable.ts") },
      { find: "#web-socket", replacement: sdk("socket/native.ts") },
    ],
  },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // A data: address is not what the policy allows.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { host: "127.0.0.1", port: 2469 },
})
