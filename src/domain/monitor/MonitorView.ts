/** A monitor inside events: without headers, body or anything that may hold a credential. */
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Target } from "../../../schema/monitor/kinds.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"

/** What an event carries of a monitor: its settings stand under the name of its kind. */
export const eventMonitor = (
  monitor: { readonly id: MonitorId; readonly name: string; readonly target: Target; readonly tags: ReadonlyArray<string> },
  state: MonitorState,
  url: string
): EventMonitor => {
  const { kind, ...settings } = monitor.target
  return { _id: monitor.id, name: monitor.name, kind, state, [kind]: settings, tags: monitor.tags, url }
}
