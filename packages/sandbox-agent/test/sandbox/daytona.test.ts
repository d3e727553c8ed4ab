import { expect } from "vitest"
import { daytona } from "../../src/sandbox/daytona.ts"
import { DaytonaEdge, daytonaPackage } from "./daytona-edge.ts"
import { runProviderSuite } from "./provider-suite.ts"
import { VendorEdge } from "./vendor-edge.ts"

const Daytona = await daytonaPackage()

runProviderSuite("daytona", {
  edge: () => new DaytonaEdge().listen(),
  provider: (edge, options, apiKey = VendorEdge.key) => {
    // Its events go over another connection, which a package with this setting does not open.
    const config = { apiUrl: edge.url, useDeprecatedPolling: true }
    return daytona({ ...options, Daytona, apiKey, config, options: { labels: { of: "test" } } })
  },
  bare: () => daytona({ apiKey: "x" }),
  expectAsked(edge) {
    const [made] = edge.asked
    expect(made?.path).toBe("/sandbox")
    expect(JSON.parse(String(made?.body))).toMatchObject({ labels: { of: "test" }, autoDeleteInterval: 0 })
    // What Daytona keeps of a command has no token in it.
    const started = edge.asked.find(({ path }) => path.endsWith("/exec"))
    expect(JSON.parse(String(started?.body))).toMatchObject({
      command: expect.stringMatching(/^sh \/tmp\/\S+$/),
      runAsync: true,
    })
  },
})
