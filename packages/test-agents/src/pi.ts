/** The version that the suite is proved with; it is installed as a user would. */
export const tested = "0.87.1"
