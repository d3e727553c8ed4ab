import type { Roots } from "../roots.ts"

export const amp: Roots = {
  methods: {
    messages: ["system/init", "user", "assistant", "result/success", "result/error_during_execution"],
  },
  types: ["Permission"],
  brief: ["PermissionMatchCondition"],
}
