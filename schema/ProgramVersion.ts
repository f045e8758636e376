/** The version of this program, as package.json says it. */
export const programVersion = "1.0.0-rc.15"
