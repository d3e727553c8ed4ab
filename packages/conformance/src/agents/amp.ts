import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import type { Skip, Subject } from "../subject.ts"
import { ampActs } from "./amp-acts.ts"
import type { Scripted } from "./scripted.ts"
import { noFork, noNotes, noPlans, noQuestions, noSteer, noSubagents, processPerSession } from "./skips.ts"

const noTools: Skip[] = [
  { reason: "Amp has no tool for questions", tests: noQuestions.flatMap(({ tests }) => tests) },
  {
    reason: "Amp asks for no approval of a plan",
    tests: ["an approved plan leaves permission mode plan, a rejected one takes the message back"],
  },
  { reason: "the mode of Amp decides its model", tests: ["models are listed and switched"] },
]

export const ampSkips: Subject["skip"] = [
  ...noTools,
  ...[processPerSession, noFork, noNotes, noPlans, noSteer, noSubagents],
]

/** The real Amp; only its model, and the server that keeps its threads, are replaced. `home` is made and becomes its own. */
export async function scriptedAmp(home: string): Promise<Scripted> {
  mkdirSync(home, { recursive: true })
  const model = await startScriptedModel()
  return {
    subject: {
      agent: "amp",
      acts: ampActs(model),
      skip: ampSkips,
      lacks: {
        retries: "Amp ends its turn when its model has no time, or its stream is cut: it asks nobody again",
        partialText: "Amp tells a message when it is whole",
        planMode: "Amp has no mode for plans",
      },
      forget: async () => model.threadServer.forgetThreads(),
      // Port 1: nobody listens there.
      deadModel: { env: { AMP_URL: "http://127.0.0.1:1" } },
      // Each process of its takes seconds of a processor to start.
      atOnce: 4,
    },
    env: {
      HOME: home,
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_DATA_HOME: join(home, "data"),
      XDG_CACHE_HOME: join(home, "cache"),
      AMP_URL: model.url,
      AMP_API_KEY: "dummy",
    },
    close: () => model.close(),
  }
}
