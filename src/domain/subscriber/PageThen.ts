/** The status of a page as an event left it: a message may be composed after the outage, because damping and backlogs hold it back. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { ComponentId } from "../../../schema/Ids.ts"
import { affecting, type ComponentView, worstOf } from "../component/ComponentStatus.ts"
import type { PageIncident } from "../page/PageIncident.ts"
import { pageStatus } from "../page/PageStatus.ts"

export interface PageNow {
  readonly components: ReadonlyArray<Pick<ComponentView, "id" | "override" | "status">>
  /** With the affected components that the page shows. */
  readonly incidents: ReadonlyArray<PageIncident>
}

/** True if the components of an incident have the statuses that it lists. */
const affects = ({ kind, resolvedAt, status }: PageIncident): boolean =>
  resolvedAt === null && (kind === "incident" || status === "in_progress")

/** An automatic incident of components that the page does not show is not on the page. */
const isOpen = ({ automatic, components, kind, resolvedAt }: PageIncident): boolean =>
  kind === "incident" && resolvedAt === null && !(automatic && components.length === 0)

const statusOf = ({ components, incidents }: PageNow): EffectiveStatus =>
  pageStatus(components.map(({ status }) => status), incidents.filter(isOpen).map(({ impact }) => impact))

/** The page's status after a change of an incident. `then` is the incident as the event left it. An override stands above it. */
export const withIncident = ({ components, incidents }: PageNow, then: PageIncident): EffectiveStatus => {
  const listed = affects(then) ? then.components : []
  return statusOf({
    components: components.map((component) => {
      const statuses = affecting(listed.flatMap(({ componentId, status }) => (componentId === component.id ? [status] : [])))
      return component.override === null ? { ...component, status: worstOf([component.status, ...statuses]) } : component
    }),
    incidents: [then, ...incidents.filter(({ id }) => id !== then.id)]
  })
}

/** The page's status after a component's status has changed to `status`. */
export const withComponent = ({ components, incidents }: PageNow, id: ComponentId, status: EffectiveStatus): EffectiveStatus =>
  statusOf({ components: components.map((one) => (one.id === id ? { ...one, status } : one)), incidents })
