/** A monitor as events contain it: without headers and body, and with the secrets of its URL masked. */
import type { EventMonitor } from "../../../schema/event/MonitorEvents.ts"
import type { MonitorId } from "../../../schema/Ids.ts"
import type { Target } from "../../../schema/monitor/kinds.ts"
import type { MonitorState } from "../../../schema/monitor/Monitor.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { maskedTarget } from "./kinds.ts"

/** The monitor as an event contains it; the settings are nested under the name of its kind. */
export const eventMonitor = (
  monitor: { readonly id: MonitorId; readonly name: string; readonly target: Target; readonly tags: ReadonlyArray<string> },
  state: MonitorState,
  url: string
): EventMonitor => {
  const { kind, ...settings } = maskedTarget(monitor.target)
  return { _id: monitor.id, name: maskUrls(monitor.name), kind, state, [kind]: settings, tags: monitor.tags, url }
}
