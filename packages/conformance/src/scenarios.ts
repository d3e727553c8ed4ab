import type { Scenario } from "./scenario.ts"
import { attachments } from "./scenarios/attachments.ts"
import { config } from "./scenarios/config.ts"
import { control } from "./scenarios/control.ts"
import { errors } from "./scenarios/errors.ts"
import { kills } from "./scenarios/kills.ts"
import { life } from "./scenarios/life.ts"
import { logs } from "./scenarios/logs.ts"
import { memory } from "./scenarios/memory.ts"
import { permissions } from "./scenarios/permissions.ts"
import { questions } from "./scenarios/questions.ts"
import { settings } from "./scenarios/settings.ts"
import { talk } from "./scenarios/talk.ts"
import { tools } from "./scenarios/tools.ts"

/** All of them, in the order they are run: the logs at the end, over what the others left. */
export const scenarios: readonly Scenario[] = [
  ...talk,
  ...attachments,
  ...tools,
  ...config,
  ...permissions,
  ...questions,
  ...settings,
  ...control,
  ...errors,
  ...life,
  ...kills,
  ...memory,
  ...logs,
]
