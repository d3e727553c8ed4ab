/** Set by `npm run test:full`: everything, however long it takes. `npm test` has less of what is slow. */
export const full = process.env.TEST_FULL === "1"

/** How often a test tries what depends on the moment. */
export const rounds = (few: number, all: number): number => (full ? all : few)
