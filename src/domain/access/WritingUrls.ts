/** Ping and push URLs write without a key, so only callers who may write see them. */
import type { Caller } from "../../../schema/access/Caller.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import type { Page } from "../../../schema/page/Page.ts"

/** What of a caller decides which records it sees, and how much of each. */
export type Viewer = Pick<Caller, "workspaceId" | "scopes">

const mayWrite = ({ scopes }: Viewer): boolean => scopes.includes("write")

/** The monitor as the caller may see it. */
export const monitorFor = (viewer: Viewer, monitor: Monitor): Monitor =>
  mayWrite(viewer) ? monitor : { ...monitor, pingUrl: null, failUrl: null }

/** The page with its components as the caller may see them. */
export const pageFor = (viewer: Viewer, page: Page): Page =>
  mayWrite(viewer) ? page : { ...page, components: page.components.map((component) => ({ ...component, pushUrl: null })) }
