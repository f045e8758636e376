/** Hides push URLs from read-only callers, because these URLs accept writes without a key. */
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Page } from "../../../schema/page/Page.ts"

/** The part of a caller that decides which records and fields it sees. */
export type Viewer = Pick<Caller, "workspaceId" | "scopes" | "operations">

export const pageFor = <P extends Pick<Page, "components">>({ scopes }: Viewer, page: P): P =>
  scopes.includes("write") ? page : { ...page, components: page.components.map((component) => ({ ...component, pushUrl: null })) }
