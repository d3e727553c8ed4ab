/**
 * A worker lives for some seconds: code that the engine optimizes for it costs a fifth of its time and is hardly used. Daemons
 * and agents that it starts are to run as those of users do.
 */
delete process.env.BUN_JSC_useDFGJIT
