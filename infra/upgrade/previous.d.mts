/** The release before this one: `migration` is the newest that it has. */
export const previous: { readonly version: string; readonly commit: string; readonly migration: string }
/** Why the release before this one cannot be built here; null if it can. */
export const missing: () => Promise<string | null>
/** Builds it once, below `.local`; resolves with the path of its program. */
export const buildPrevious: () => Promise<string>
