import { expect, test } from "vitest"
import { pathOf } from "../../src/faces/http/router.ts"

test.each([
  ["http://127.0.0.1:2468/v1/health", "/v1/health"],
  ["http://127.0.0.1:2468/v1/acp/a:b?agent=mock", "/v1/acp/a:b"],
  ["http://[::1]:2468/v1/sessions/x%2Fy#end", "/v1/sessions/x%2Fy"],
  ["http://localhost", "/"],
  ["http://localhost?to=/v1/health", "/"],
  ["http://localhost#/v1/health", "/"],
  ["http://no host at all/v1/health", "/v1/health"],
  ["/v1/health?deep", "/v1/health"],
  ["http://localhost//v1", "//v1"],
  ["", "/"],
])("the path of %j is %j", (url, path) => {
  expect(pathOf({ url })).toBe(path)
})
