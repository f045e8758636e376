/** Several alerts of one channel as one event. */
import type { EventDraft } from "../../schema/event/EventData.ts"
import type { ChannelId, WorkspaceId } from "../../schema/Ids.ts"
import type { LinkMaker } from "../../src/links/Links.ts"
import type { GroupedAlert } from "../../src/store/alert/AlertGroups.ts"

/** A summary names so many monitors of each kind, and counts the others. */
const mostNamed = 100

export type SummarizedChange = "down" | "degraded" | "up" | "flapping" | "stable"

export interface SummarizedAlert extends GroupedAlert {
  readonly change: SummarizedChange
}

export interface SummarizedChannel {
  readonly workspaceId: WorkspaceId
  readonly id: ChannelId
  readonly name: string
}

export const summaryOf = (
  { id, name, workspaceId }: SummarizedChannel,
  alerts: ReadonlyArray<SummarizedAlert>,
  links: LinkMaker
): EventDraft => {
  const named = (wanted: SummarizedChange) => {
    const all = alerts.filter(({ change }) => change === wanted)
    const monitors = all.slice(0, mostNamed).map(({ error, incidentId, monitorId, name, url }) => ({
      _id: monitorId,
      id: monitorId,
      name,
      url,
      incidentId,
      error
    }))
    return { count: all.length, monitors }
  }
  const [down, degraded, flapping, stable] = [named("down"), named("degraded"), named("flapping"), named("stable")]
  // The list that the reader needs first; all when all is well again.
  const state = down.count > 0 ? "down" : degraded.count > 0 ? "degraded" : null
  return {
    type: "monitor.summary",
    data: {
      channel: { id, name },
      url: links.monitors(workspaceId, state),
      down,
      degraded,
      up: named("up"),
      ...(flapping.count === 0 ? {} : { flapping }),
      ...(stable.count === 0 ? {} : { stable })
    }
  }
}
