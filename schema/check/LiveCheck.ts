/** A finished check as runners tell it to the live streams of its workspace; nothing keeps it. */
import { Schema } from "effect"
import { MonitorId, WorkspaceId } from "../Ids.ts"
import { EventCheck } from "./Check.ts"

/** The payload of a notification on `liveChecksSignal`. */
export const LiveCheck = Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId, check: EventCheck })
export type LiveCheck = typeof LiveCheck.Type

/** Notified for each finished check of a workspace that has a live watcher. */
export const liveChecksSignal = "belltower_checks"
