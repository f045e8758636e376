/** The texts of the dashboards, by their paths in the repository. */
export const files: ReadonlyMap<string, string>
