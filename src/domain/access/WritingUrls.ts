/** Hides ping and push URLs from read-only callers, because these URLs accept writes without a key. */
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import type { Page } from "../../../schema/page/Page.ts"

/** The part of a caller that decides which records and fields it sees. */
export type Viewer = Pick<Caller, "workspaceId" | "scopes">

const mayWrite = ({ scopes }: Viewer): boolean => scopes.includes("write")

/** The monitor as the caller may see it. */
export const monitorFor = (viewer: Viewer, monitor: Monitor): Monitor =>
  mayWrite(viewer) ? monitor : { ...monitor, pingUrl: null, failUrl: null }

/** The page with its components as the caller may see them. */
export const pageFor = (viewer: Viewer, page: Page): Page =>
  mayWrite(viewer) ? page : { ...page, components: page.components.map((component) => ({ ...component, pushUrl: null })) }
