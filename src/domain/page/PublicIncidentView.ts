/** An incident as a visitor of one page, or a subscriber, may see it, in one language. */
import type { ComponentId } from "../../../schema/Ids.ts"
import type { PublicIncident } from "../../../schema/incident/Incident.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { worstOf } from "../component/ComponentStatus.ts"
import { translateNote } from "../incident/AutomaticNotes.ts"
import { confidentialTexts } from "../monitor/settings/ConfidentialTexts.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { durationIn } from "./DurationIn.ts"
import { wordsIn } from "./Languages.ts"
import { maskedBody } from "./MaskedUpdates.ts"
import type { PageIncident, PageUpdate } from "./PageIncident.ts"
import { conceal } from "./PublicText.ts"

/** A component that the page shows. */
interface Named {
  readonly id: ComponentId
  readonly name: string
}

/** Component names joined for a sentence. */
const joined = (language: Language, names: ReadonlyArray<string>) =>
  new Intl.ListFormat(language, { style: "long", type: "conjunction" }).format(names)

/** Also what a person wrote: a URL copied into a note may hold a secret. The bodies of updates are masked already. */
const withoutUrlSecrets = (incident: PublicIncident): PublicIncident => ({
  ...incident,
  title: maskUrls(incident.title),
  aiSummary: incident.aiSummary === null ? null : maskUrls(incident.aiSummary)
})

/**
 * The service's notes are stored in English and may name monitors, and components of other pages. This replaces these names by
 * those of the page's components, and translates the notes into the visitor's language. Of what people wrote, only secrets of URLs change.
 * `showsAi` is whether the page lets AI write for its visitors.
 */
export const publicIncident = (shown: ReadonlyArray<Named>, language: Language, url: string, showsAi: boolean) => {
  const words = wordsIn(language)
  const noteLanguage = { words, duration: durationIn(language) }
  return ({ automatic, isCut: _, monitorName, monitorTarget, otherNames, ...incident }: PageIncident): PublicIncident => {
    const affected = new Set(incident.components.map(({ componentId }) => componentId))
    const names = joined(language, shown.filter(({ id }) => affected.has(id)).map(({ name }) => name))
    const worst = worstOf(incident.components.map(({ status }) => status))
    const monitors = [...otherNames, ...monitorName === null ? [] : [monitorName]]
    const hidden = [...monitors, ...monitors.map(maskUrls), ...confidentialTexts(monitorTarget)]
    const shownAs = names === "" ? incident.title : names
    const written = (update: PageUpdate) => {
      const { body, byPerson, public: _, ...rest } = update
      return {
        ...rest,
        body: byPerson ? maskedBody(update) : maskUrls(translateNote(conceal(body, hidden, shownAs), noteLanguage))
      }
    }
    return withoutUrlSecrets({
      ...incident,
      title: !automatic ? incident.title : worst === "major_outage"
        ? words.isDown(names)
        : `${names}: ${words.component[worst]}`,
      aiSummary: incident.aiSummary === null || !showsAi
        ? null
        : translateNote(conceal(incident.aiSummary, hidden, shownAs), noteLanguage),
      updates: incident.updates.map(written),
      url: `${url}/incidents/${incident.id}`
    })
  }
}
