import { scenario } from "./scenario.js"

export default {
  async fetch(request) {
    try {
      return Response.json(await scenario(await request.json()))
    } catch (error) {
      return Response.json({ error: String(error), stack: error?.stack })
    }
  },
}
