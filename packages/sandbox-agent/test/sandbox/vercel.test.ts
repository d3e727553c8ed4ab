import { expect } from "vitest"
import { vercel } from "../../src/sandbox/vercel.ts"
import { runProviderSuite } from "./provider-suite.ts"
import { VendorEdge } from "./vendor-edge.ts"
import { VercelEdge, vercelPackage } from "./vercel-edge.ts"

const Sandbox = await vercelPackage()
const whose = { teamId: "team_1", projectId: "prj_1" }

runProviderSuite("vercel", {
  edge: () => new VercelEdge().listen(),
  provider: (edge, options, accessToken = VendorEdge.key) =>
    vercel({ ...options, ...whose, Sandbox, accessToken, options: { fetch: edge.toApi, tags: { of: "test" } } }),
  bare: () => vercel({ ...whose, accessToken: "x" }),
  expectAsked(edge, port) {
    const [made] = edge.asked
    expect(made?.path).toBe("/v3/sandboxes?teamId=team_1")
    const timeout = 45 * 60_000
    expect(JSON.parse(String(made?.body))).toMatchObject({
      projectId: "prj_1",
      ports: [port],
      timeout,
      persistent: false,
    })
    expect(JSON.parse(String(made?.body))).toMatchObject({ tags: { of: "test" } })
  },
})
