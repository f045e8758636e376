/** The text of a maintenance window about the monitors that it mutes. */
import type { Incident } from "../../../schema/incident/Incident.ts"
import type { MutedMonitors } from "../../../schema/monitor/MutedMonitors.ts"
import { isOver } from "./IncidentMachine.ts"

export const mutesNothing: MutedMonitors = { count: 0, monitors: [] }

/** True for a maintenance window that is ahead or running: one that is over mutes nothing. */
export const mutes = ({ kind, status }: Pick<Incident, "kind" | "status">): boolean => kind === "maintenance" && !isOver(status)

const otherwise = "To keep alerts back without a page, use POST /api/v1/mutes"

/** Why a window mutes no monitor; none if it mutes some. */
export const muteWarnings = (
  { components, pageIds }: Pick<Incident, "components" | "pageIds">,
  { count }: MutedMonitors
): ReadonlyArray<string> => {
  if (count > 0) return []
  return [
    pageIds.length === 0 && components.length === 0
      ? `It mutes no monitor, because it names no page and no component. ${otherwise}`
      : `It mutes no monitor, because no component that it covers follows one. ${otherwise}`
  ]
}
