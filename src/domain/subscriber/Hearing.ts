/** Selects the subscribers of a page who receive an event: by its audience, its incident and its components. */
import type { SubscriberType } from "../../../schema/subscriber/Subscriber.ts"

/** The facts of an event that decide which subscribers receive it. */
export interface News {
  readonly audience: "all" | "webhooks"
  /** Null if it is not about an incident. */
  readonly incidentId: string | null
  /** Whether the incident had ended before, such as when its postmortem is published. */
  readonly isAfterEnd: boolean
  /** The components of the page that it concerns; none means the page as a whole. */
  readonly componentIds: ReadonlyArray<string>
}

export interface Interest {
  readonly type: SubscriberType
  /** Empty for all components. */
  readonly componentIds: ReadonlyArray<string>
  /** The only incident; null for all. */
  readonly incidentId: string | null
}

export const hears = ({ componentIds, incidentId, type }: Interest, news: News): boolean => {
  if (news.audience === "webhooks" && type !== "webhook") return false
  if (incidentId !== null && (incidentId !== news.incidentId || news.isAfterEnd)) return false
  return componentIds.length === 0 || news.componentIds.length === 0 || news.componentIds.some((id) => componentIds.includes(id))
}
