import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two at a time: tests start real daemons and agents, and the machine has to keep up.
    maxWorkers: 2,
    pool: "forks",
    // Left outside, zod loses its `z` export under vitest on Bun.
    server: { deps: { inline: ["zod"] } },
  },
})
