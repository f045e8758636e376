/** A finished check that runners send to the live streams of its workspace. It is not stored. */
import { Schema } from "effect"
import { MonitorId, WorkspaceId } from "../Ids.ts"
import { EventCheck } from "./Check.ts"

/** The payload of a notification on `liveChecksSignal`. */
export const LiveCheck = Schema.Struct({ workspaceId: WorkspaceId, monitorId: MonitorId, check: EventCheck })
export type LiveCheck = typeof LiveCheck.Type

/** The signal for each finished check of a workspace with an open live stream. */
export const liveChecksSignal = "belltower_checks"
