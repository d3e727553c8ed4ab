import * as built from "acp-http-client.js"
import { scenario } from "scenario.js"

export default {
  async fetch(request) {
    const site = new URL(request.url).searchParams.get("site")
    return Response.json(await scenario(built, `${site}/acp`, () => fetch(`${site}/cut`, { method: "POST" })))
  },
}
