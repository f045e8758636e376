/** Finds a monitor by its id or fails with `not_found`. */
import { Effect, Option } from "effect"
import { NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Monitors } from "../../store/monitor/Monitors.ts"

/** The failure for an id that no monitor of the workspace has. */
export const noMonitor = (id: string) =>
  new NotFound({ message: `No monitor ${id} in this workspace`, hint: "List monitors with GET /api/v1/monitors" })

/** The monitor's row with its state; fails with `not_found`. */
export const requireMonitor = (monitors: Monitors, workspaceId: WorkspaceId, id: string) =>
  Effect.flatMap(
    monitors.find(workspaceId, id),
    Option.match({ onNone: () => Effect.fail(noMonitor(id)), onSome: Effect.succeed })
  )
