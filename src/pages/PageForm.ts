/** The forms in which visitors and programs get a page. */
import type { DateTime } from "effect"
import type { IncidentId } from "../../schema/Ids.ts"
import type { Language } from "../../schema/page/Page.ts"
import { type VisitorLocale, visitorLocale } from "../domain/page/Languages.ts"
import type { MonthPeriod } from "../domain/page/Month.ts"
import type { Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import type { HistoryFormat } from "./ComponentHistory.ts"
import type { FeedKind } from "./Feeds.ts"
import type { V2Document } from "./StatuspageV2.ts"

export type PageForm =
  | { readonly _tag: "Json"; readonly history: boolean }
  /** With `stale`, the page warns that it may be out of date. */
  | { readonly _tag: "Html"; readonly visitor: VisitorLocale; readonly stale: boolean }
  | { readonly _tag: "Month"; readonly visitor: VisitorLocale; readonly period: MonthPeriod }
  | { readonly _tag: "Incident"; readonly visitor: VisitorLocale; readonly id: IncidentId }
  /** The interface's list of incidents; null for the newest. */
  | { readonly _tag: "IncidentList"; readonly limit: number; readonly before: DateTime.Utc | null }
  | { readonly _tag: "IncidentJson"; readonly id: IncidentId }
  | { readonly _tag: "Embed"; readonly visitor: VisitorLocale }
  | { readonly _tag: "Feed"; readonly kind: FeedKind; readonly language: Language }
  | { readonly _tag: "V2"; readonly document: V2Document }
  /** The badge of one component; null for the page. */
  | { readonly _tag: "Badge"; readonly language: Language; readonly componentId: string | null }
  | { readonly _tag: "History"; readonly format: HistoryFormat; readonly componentId: string }
  | { readonly _tag: "Image" }
  | { readonly _tag: "Sitemap" }
  | { readonly _tag: "Robots" }

/** Identifies a form among those of its page. */
export const formKey = (form: PageForm): string => {
  switch (form._tag) {
    case "Json":
      return `json ${form.history}`
    case "Html":
      return `html ${form.visitor.locale} ${form.stale}`
    case "Month":
      return `month ${form.visitor.locale} ${form.period.month}`
    case "Incident":
      return `incident ${form.visitor.locale} ${form.id}`
    case "IncidentList":
      return `incidents ${form.limit} ${form.before?.epochMillis ?? ""}`
    case "IncidentJson":
      return `incident json ${form.id}`
    case "Embed":
      return `embed ${form.visitor.language}`
    case "Feed":
      return `feed ${form.kind} ${form.language}`
    case "V2":
      return `v2 ${form.document}`
    case "Badge":
      return `badge ${form.language} ${form.componentId ?? ""}`
    case "History":
      return `history ${form.format} ${form.componentId}`
    case "Image":
    case "Robots":
    case "Sitemap":
      return form._tag
  }
}

/** Whether visitors choose which part of the past it shows, so that a page has any number of such forms. */
export const isChosen = ({ _tag }: PageForm): boolean =>
  _tag === "Month" || _tag === "Incident" || _tag === "IncidentList" || _tag === "IncidentJson"

/** The page as visitors who accept these languages see it. */
export const htmlForm = (snapshot: Snapshot, acceptLanguage: string | undefined, stale: boolean): PageForm => ({
  _tag: "Html",
  visitor: visitorLocale(snapshot.page.settings.language, acceptLanguage),
  stale
})
