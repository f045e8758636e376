/** A snapshot in one language: the public status that the JSON API returns and the HTML page renders. */
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import type { PublicPage } from "../../schema/page/PublicPage.ts"
import { worstOf } from "../domain/component/ComponentStatus.ts"
import { translateNote } from "../domain/incident/AutomaticNotes.ts"
import { confidentialTexts } from "../domain/monitor/ConfidentialTexts.ts"
import { wordsIn } from "../domain/page/Languages.ts"
import type { PageIncident, PageUpdate } from "../domain/page/PageIncident.ts"
import { conceal } from "../domain/page/PublicText.ts"
import type { ShownComponent, Snapshot } from "../domain/page/Snapshot.ts"
import { maskUrls } from "../domain/secret/UrlSecrets.ts"
import { linksFrom } from "../links/Links.ts"
import { makeFormats } from "./Formats.ts"

export interface PublicView {
  readonly page: PublicPage
  readonly components: ReadonlyArray<ShownComponent>
  readonly past: ReadonlyArray<PublicIncident>
}

/** Component names joined for a sentence. */
const joined = (language: Language, names: ReadonlyArray<string>) =>
  new Intl.ListFormat(language, { style: "long", type: "conjunction" }).format(names)

/** Also what a person wrote: a URL copied into a note may hold a secret. */
const withoutUrlSecrets = (incident: PublicIncident): PublicIncident => ({
  ...incident,
  title: maskUrls(incident.title),
  aiSummary: incident.aiSummary === null ? null : maskUrls(incident.aiSummary),
  updates: incident.updates.map((update) => ({ ...update, body: maskUrls(update.body) }))
})

/**
 * The service's notes are stored in English and may name monitors, and components of other pages. This replaces these names by
 * those of the page's components, and translates the notes into the visitor's language. What people wrote is not changed.
 */
const publicIncident = (snapshot: Snapshot, language: Language, url: string) => {
  const words = wordsIn(language)
  const noteLanguage = { words, duration: makeFormats(language, "UTC").duration }
  return ({ automatic, monitorName, monitorTarget, otherNames, ...incident }: PageIncident): PublicIncident => {
    const affected = new Set(incident.components.map(({ componentId }) => componentId))
    const names = joined(language, snapshot.components.filter(({ id }) => affected.has(id)).map(({ name }) => name))
    const worst = worstOf(incident.components.map(({ status }) => status))
    const monitors = [...otherNames, ...monitorName === null ? [] : [monitorName]]
    const hidden = [...monitors, ...monitors.map(maskUrls), ...confidentialTexts(monitorTarget)]
    const written = ({ body, byPerson, public: _, ...update }: PageUpdate) => ({
      ...update,
      body: byPerson ? body : translateNote(conceal(body, hidden, names === "" ? incident.title : names), noteLanguage)
    })
    return withoutUrlSecrets({
      ...incident,
      title: !automatic ? incident.title : worst === "major_outage"
        ? words.isDown(names)
        : `${names}: ${words.component[worst]}`,
      aiSummary: incident.aiSummary === null ? null : conceal(incident.aiSummary, hidden, names),
      updates: incident.updates.map(written),
      url: `${url}#${incident.id}`
    })
  }
}

export const publicView = (snapshot: Snapshot, language: Language, baseUrl: string): PublicView => {
  const { branding, description, id, name, seo, settings, slug, theme } = snapshot.page
  const url = linksFrom(baseUrl).page(slug)
  const toPublic = publicIncident(snapshot, language, url)
  return {
    page: {
      page: {
        id,
        slug,
        name,
        description,
        url,
        theme,
        branding,
        settings: {
          uptimeDays: settings.uptimeDays,
          showUptimePercent: settings.showUptimePercent,
          showResponseTimes: settings.showResponseTimes,
          language: settings.language,
          subscriptions: settings.subscriptions,
          timezone: settings.timezone
        },
        seo
      },
      status: snapshot.status,
      statusText: wordsIn(language).page[snapshot.status],
      groups: snapshot.groups,
      components: snapshot.components.map(({ recentPercent: _, ...component }) => component),
      incidents: snapshot.incidents.map(toPublic),
      maintenances: snapshot.maintenances.map(toPublic),
      updatedAt: snapshot.at
    },
    components: snapshot.components,
    past: snapshot.past.map(toPublic)
  }
}
