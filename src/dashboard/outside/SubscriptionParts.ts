/** Parts of all pages of subscriptions: the sheet of their status page, and the kinds of news and components that a form chose. */
import type { SubscriberType, SubscriptionKind } from "../../../schema/subscriber/Subscriber.ts"
import type { SettledPage } from "../../domain/page/PageDefaults.ts"
import { shownBranding } from "../../domain/page/PageImages.ts"
import type { LinkMaker } from "../../links/Links.ts"
import type { SheetPage } from "../../pages/html/Sheet.tsx"
import { kindsFor } from "../../pages/html/Subscribe.tsx"

export const sheetOf = (page: SettledPage, links: LinkMaker): SheetPage => ({
  name: page.name,
  theme: page.theme,
  branding: shownBranding(page.branding, links.service),
  url: links.page(page),
  service: links.service
})

/** The kinds that a form chose; empty for all, which all boxes and none mean. */
export const kindsOf = (given: URLSearchParams, type: SubscriberType): ReadonlyArray<SubscriptionKind> => {
  const offered = kindsFor(type)
  const chosen = offered.filter((kind) => given.getAll("kind").includes(kind))
  return chosen.length === offered.length ? [] : chosen
}

/** The components that a form chose, by id or key; empty for all, which all boxes and none mean. */
export const componentsOf = (
  given: URLSearchParams,
  offered: ReadonlyArray<{ readonly id: string; readonly key?: string }>
): ReadonlyArray<string> => {
  const named = new Set(given.getAll("component"))
  const chosen = offered.filter(({ id, key }) => named.has(id) || (key !== undefined && named.has(key)))
  return chosen.length === offered.length ? [] : chosen.map(({ id }) => id)
}
