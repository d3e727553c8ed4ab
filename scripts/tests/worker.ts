import { everyChildSees, isAmong } from "../../packages/daemon/src/supervisor/environment.ts"

/** What the runner and the tools of tests need, what a test may be told, and the accounts with which examples run for real. */
const forTests = [
  ...["CI", "PWD", "NODE_*", "BUN_*", "VITEST*", "npm_*", "LD_LIBRARY_PATH"],
  ...["TEST_*", "SANDBOX_AGENT_TEST_*", "UPDATE_CONFORMANCE", "KILL_SEED", "CUT_SEED", "FUZZ_*", "SOAK_*"],
  ...["INVARIANT_RUNS", "STORE_SESSIONS", "HELD_SECONDS"],
  ...["E2B_*", "DAYTONA_*", "VERCEL_*", "CLOUDFLARE_WORKER_URL", "WORKER_TOKEN"],
]
/** Settings and accounts of whoever runs the tests. The cache is not: it has what was downloaded for them. */
const ofUser = [
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "IS_SANDBOX",
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "SSH_AUTH_SOCK",
]

// A key or a setting in somebody's shell would make other tests of these, and let them use that account.
for (const name of Object.keys(process.env))
  if (isAmong(name, ofUser) || !isAmong(name, [...everyChildSees, ...forTests])) delete process.env[name]
