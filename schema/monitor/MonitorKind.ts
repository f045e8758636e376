/** The check kinds of the specification, including those that are not available yet. */
import { Schema } from "effect"

export const MonitorKind = Schema.Literal("http", "tcp", "dns", "heartbeat", "manifest", "script", "browser")
export type MonitorKind = typeof MonitorKind.Type
