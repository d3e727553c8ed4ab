import { ask } from "./main.ts"

export { Sandbox } from "./stand-in.js"

export default {
  async fetch(request, env) {
    const { question, ...options } = await request.json()
    return Response.json({ answer: await ask(env, question, "mock", options) })
  },
}
