/**
 * A worker lives for some seconds: code that the engine optimizes for it costs up to a fifth of its time and is hardly
 * used. Daemons and agents are to run as those of users do; `Bun.spawn` without `env` would still pass it on.
 */
delete process.env.BUN_JSC_useDFGJIT
