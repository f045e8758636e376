/** Ping and push URLs write without a key, so only callers who may write are shown them. */
import type { Access } from "../../../schema/api/Access.ts"
import type { Monitor } from "../../../schema/monitor/Monitor.ts"
import type { Page } from "../../../schema/page/Page.ts"

type Caller = Pick<Access["Type"], "scopes">

const mayWrite = ({ scopes }: Caller): boolean => scopes.includes("write")

/** A monitor as the caller may see it. */
export const monitorFor = (caller: Caller, monitor: Monitor): Monitor =>
  mayWrite(caller) ? monitor : { ...monitor, pingUrl: null, failUrl: null }

/** A page with its components as the caller may see them. */
export const pageFor = (caller: Caller, page: Page): Page =>
  mayWrite(caller) ? page : { ...page, components: page.components.map((component) => ({ ...component, pushUrl: null })) }
