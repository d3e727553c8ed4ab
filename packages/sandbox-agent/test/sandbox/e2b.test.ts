import { expect } from "vitest"
import { e2b } from "../../src/sandbox/e2b.ts"
import { E2bEdge, e2bPackage } from "./e2b-edge.ts"
import { runProviderSuite } from "./provider-suite.ts"
import { VendorEdge } from "./vendor-edge.ts"

const Sandbox = await e2bPackage()

runProviderSuite("e2b", {
  edge: () => new E2bEdge().listen(),
  provider: (edge, options, apiKey = VendorEdge.key) =>
    e2b({ ...options, Sandbox, apiKey, options: { apiUrl: edge.url, sandboxUrl: edge.url, metadata: { of: "test" } } }),
  bare: () => e2b({ apiKey: "x" }),
  expectAsked(edge) {
    const [made] = edge.asked
    expect(JSON.parse(String(made?.body))).toMatchObject({
      templateID: "base",
      timeout: 3600,
      metadata: { of: "test" },
    })
  },
})
