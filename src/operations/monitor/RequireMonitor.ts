/** The monitor with an id. */
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { Monitors } from "../../store/monitor/Monitors.ts"
import { orNoSuch } from "../NoSuch.ts"

/** The monitor's row with its state; fails with `not_found`. */
export const requireMonitor = (monitors: Monitors, workspaceId: WorkspaceId, id: string) =>
  orNoSuch("monitor", id, monitors.find(workspaceId, id))
